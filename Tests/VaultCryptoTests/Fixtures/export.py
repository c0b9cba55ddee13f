# Independent reference for the format of exports: libsodium through ctypes, base64 of Python, and
# nothing of ours. Writes export.json in the current folder.
import base64, ctypes, json, struct, textwrap

L = ctypes.CDLL('libsodium.so.23')
assert L.sodium_init() >= 0
ull = ctypes.c_ulonglong


def blake2b(key, message):
    out = ctypes.create_string_buffer(32)
    assert L.crypto_generichash(out, ctypes.c_size_t(32), message, ull(len(message)), key,
                                ctypes.c_size_t(len(key))) == 0
    return out.raw


def argon2id(passphrase, salt, passes, memory):
    out = ctypes.create_string_buffer(32)
    assert L.crypto_pwhash(out, ull(32), passphrase, ull(len(passphrase)), salt, ull(passes),
                           ctypes.c_size_t(memory), 2) == 0
    return out.raw


def pad(message):
    # ISO/IEC 7816-4: one byte 0x80, then zeros, up to a multiple of 512.
    return message + b'\x80' + bytes(511 - len(message) % 512)


def secretbox(message, nonce, key):
    out = ctypes.create_string_buffer(len(message) + 16)
    assert L.crypto_secretbox_easy(out, message, ull(len(message)), nonce, key) == 0
    return out.raw


def export(name, passphrase, content, passes, memory, salt, nonce):
    header = b'VLT1EXP\0' + struct.pack('>BBHIQ', 1, 1, 0, passes, memory) + salt
    secret = argon2id(passphrase, salt, passes, memory)
    commitment = blake2b(secret, b'VLT1XCM\0' + header)
    key = blake2b(secret, b'VLT1XKE\0' + header)
    raw = header + commitment + nonce + secretbox(pad(content), nonce, key)
    lines = textwrap.wrap(base64.b64encode(raw).decode(), 64)
    text = '\n'.join(['-----BEGIN VAULT EXPORT-----', *lines, '-----END VAULT EXPORT-----', ''])
    hexed = dict(passphrase=passphrase, content=content, salt=salt, nonce=nonce, header=header,
                 secret=secret, commitment=commitment, key=key)
    return dict(name=name, passes=passes, memory=memory, text=text,
                **{name: value.hex() for name, value in hexed.items()})


SALT, NONCE = bytes(range(16, 32)), bytes(range(24))
LOW = (2, 8 << 20)
json.dump([
    export('low cost', b'correct horse battery staple', b'{"version":1}', *LOW, SALT, NONCE),
    export('nothing in it', 'p\u00e4ssw\u00f6rd'.encode(), b'', *LOW, SALT[::-1], NONCE),
    export('a whole block', b'a', b'x' * 512, 1, 9 << 20, SALT, NONCE[::-1]),
    export('standard cost', b'correct horse battery staple', b'y' * 511, 3, 256 << 20, SALT, NONCE),
], open('export.json', 'w'), indent=1)
