#!/usr/bin/env python3
"""Reads a vault that a key file opens, and prints every account in it as JSON.

    read_vault.py VAULT_DB KEY_FILE

Written from the description of the format alone (the crypto vectors and the comments of the first
migration), so that a mistake in the vault's own code cannot hide in both. It prints secrets: it is
for tests and for emergencies.
"""

import ctypes
import hmac
import json
import sqlite3
import struct
import sys
from urllib.parse import quote

KEY, NONCE, AUTHENTICATOR, PADDING = 32, 24, 16, 512
FORMAT, KEY_FILE_SLOT = 1, 2
ACCOUNT, TOKENS, KEYRING = 1, 2, 5

sodium = ctypes.CDLL("libsodium.so.23")
size, count = ctypes.c_size_t, ctypes.c_ulonglong


class Refused(Exception):
    """Something in the file is not what was sealed into it, or the key is another one."""


# ---- libsodium -----------------------------------------------------------------------------------


def keyed_hash(key, message):
    out = ctypes.create_string_buffer(KEY)
    sodium.crypto_generichash(out, size(KEY), message, count(len(message)), key, size(KEY))
    return out.raw


def subkey(key, number, label):
    out = ctypes.create_string_buffer(KEY)
    sodium.crypto_kdf_derive_from_key(out, size(KEY), ctypes.c_uint64(number), label, key)
    return out.raw


def open_box(key, nonce_and_box, what):
    nonce, box = nonce_and_box[:NONCE], nonce_and_box[NONCE:]
    if len(box) < AUTHENTICATOR:
        raise Refused(f"{what} is cut short")
    out = ctypes.create_string_buffer(max(1, len(box) - AUTHENTICATOR))
    if sodium.crypto_secretbox_open_easy(out, box, count(len(box)), nonce, key) != 0:
        raise Refused(f"{what} does not open")
    return out.raw[: len(box) - AUTHENTICATOR]


def open_padded(key, nonce_and_box, what):
    padded = open_box(key, nonce_and_box, what)
    length = size()
    failed = sodium.sodium_unpad(
        ctypes.byref(length), padded, size(len(padded)), size(PADDING)
    )
    if failed:
        raise Refused(f"{what} is not padded")
    return padded[: length.value]


# ---- keys ----------------------------------------------------------------------------------------


def record_context(vault_id, kind, epoch, account_id, generation):
    head = struct.pack(">BBHI", FORMAT, kind, 0, epoch)
    return b"VLT1REC\0" + head + vault_id + account_id + struct.pack(">Q", generation)


def open_root_key(database, secret, vault):
    slots = database.execute(
        "SELECT number, passes, memory, salt, commitment, root_key_box FROM key_slot"
        " WHERE kind = ? ORDER BY number",
        (KEY_FILE_SLOT,),
    )
    for number, passes, memory, salt, commitment, box in slots:
        head = struct.pack(">BBHIQ", FORMAT, KEY_FILE_SLOT, number, passes, memory)
        context = b"VLT1SLOT" + head + vault["vault_id"] + salt
        if not hmac.compare_digest(keyed_hash(secret, b"VLT1CMT\0" + context), commitment):
            continue
        slot_key = keyed_hash(secret, b"VLT1KEK\0" + context)
        root_key = open_box(slot_key, box, f"key slot {number}")
        check = keyed_hash(subkey(root_key, 2, b"vltchk01"), b"VLT1CHK\0" + vault["vault_id"])
        if not hmac.compare_digest(check, vault["root_check"]):
            raise Refused("the root key is not this vault's")
        return root_key
    raise Refused("the key file opens no slot")


def open_data_keys(root_key, vault):
    """The keys of the records, by epoch."""
    context = record_context(vault["vault_id"], KEYRING, 0, bytes(16), vault["keyring_version"])
    record_key = keyed_hash(subkey(root_key, 1, b"vltring1"), context)
    ring = open_padded(record_key, vault["keyring_box"], "the keyring")
    version, _flags, _active, entries = struct.unpack_from(">BBIH", ring)
    if version != 1 or len(ring) != 8 + entries * (4 + KEY):
        raise Refused("the keyring is of another format")
    keys = {}
    for offset in range(8, len(ring), 4 + KEY):
        (epoch,) = struct.unpack_from(">I", ring, offset)
        keys[epoch] = subkey(ring[offset + 4 : offset + 4 + KEY], 1, b"vltrec01")
    return keys


# ---- accounts ------------------------------------------------------------------------------------


def open_record(keys, vault_id, kind, account_id, generation, record, what):
    (epoch,) = struct.unpack_from(">I", record)
    if epoch not in keys:
        raise Refused(f"{what} is of an unknown epoch")
    context = record_context(vault_id, kind, epoch, account_id, generation)
    return json.loads(open_padded(keyed_hash(keys[epoch], context), record[4:], what))


def read_accounts(database, keys, vault_id):
    rows = database.execute(
        "SELECT account_id, name, revision, account_box, generation, tokens_box"
        " FROM account ORDER BY name"
    )
    for account_id, name, revision, account_box, generation, tokens_box in rows:
        settings = open_record(
            keys, vault_id, ACCOUNT, account_id, revision, account_box, f"account {name}"
        )
        if settings["name"] != name:
            raise Refused(f"account {name} has another name in its seal")
        tokens = open_record(
            keys, vault_id, TOKENS, account_id, generation, tokens_box, f"tokens of {name}"
        )
        yield account_id, {
            "name": name,
            "generation": generation,
            "settings": settings,
            "tokens": tokens,
        }


def current_name(root_key, vault, accounts):
    chosen = vault["selected_account"]
    if chosen is None:
        return None
    message = b"VLT1SEL\0" + vault["vault_id"] + chosen
    expected = keyed_hash(subkey(root_key, 4, b"vltsel01"), message)
    if not hmac.compare_digest(expected, vault["selected_hash"]):
        raise Refused("the current account is not the one that was chosen")
    if chosen not in accounts:
        raise Refused("the current account is not there")
    return accounts[chosen]["name"]


def read_vault(database_path, key_file):
    with open(key_file, "rb") as file:
        secret = file.read()
    if len(secret) != KEY:
        raise Refused(f"a key file has {KEY} bytes")
    database = sqlite3.connect(f"file:{quote(database_path)}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    vault = database.execute("SELECT * FROM vault").fetchone()
    if vault is None:
        raise Refused("there is no vault in the file")
    root_key = open_root_key(database, secret, vault)
    keys = open_data_keys(root_key, vault)
    accounts = dict(read_accounts(database, keys, vault["vault_id"]))
    database.close()
    return {
        "accounts": list(accounts.values()),
        "current": current_name(root_key, vault, accounts),
    }


def main(arguments):
    if len(arguments) != 2:
        sys.exit("usage: read_vault.py VAULT_DB KEY_FILE")
    if sodium.sodium_init() < 0:
        sys.exit("libsodium could not be initialised")
    try:
        print(json.dumps(read_vault(*arguments)))
    except (Refused, OSError, sqlite3.Error) as error:
        sys.exit(f"read_vault.py: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
