"""What stands between a client and a server, or is one: for tests, on 127.0.0.1.

    network-peer.py DIR tls CERT KEY [CLIENT_CA]   an HTTPS server that says who came
    network-peer.py DIR proxy [STATUS]             an HTTP proxy; with a status it refuses
    network-peer.py DIR tlsproxy CERT KEY          the same over TLS
    network-peer.py DIR socks                      a SOCKS5 proxy (RFC 1928)

The port is written to DIR/port, each request as a line to DIR/log. Proxies lead every host to
127.0.0.1, whatever its name. It ends when it is ended, or after two minutes.
"""

import os
import socket
import ssl
import struct
import sys
import threading

folder, mode, *rest = sys.argv[1:]
log_lock = threading.Lock()


def note(line):
    with log_lock, open(f"{folder}/log", "a", encoding="utf-8") as log:
        log.write(line + "\n")


def head(peer):
    data = b""
    while b"\r\n\r\n" not in data:
        more = peer.recv(4096)
        if not more:
            return None, b""
        data += more
    text, _, body = data.partition(b"\r\n\r\n")
    return text.decode("latin-1").split("\r\n"), body


def serve(peer):
    lines, body = head(peer)
    if lines is None:
        return
    length = next((int(l[15:]) for l in lines if l.lower().startswith("content-length:")), 0)
    while len(body) < length:
        body += peer.recv(4096)
    shown = peer.getpeercert() or {}
    names = [v for part in shown.get("subject", ()) for k, v in part if k == "commonName"]
    note(f"{lines[0]} reused={peer.session_reused}")
    text = f"client={names[0] if names else 'nobody'}".encode()
    peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(text) + text)
    # A client that may keep the connection is served again.
    serve(peer)


def splice(a, b):
    def pump(source, sink):
        try:
            while data := source.recv(16384):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    other = threading.Thread(target=pump, args=(b, a), daemon=True)
    other.start()
    pump(a, b)
    other.join()


def proxy(peer):
    lines, _ = head(peer)
    if lines is None:
        return
    note(lines[0] + " | " + ", ".join(sorted(l.split(":")[0] for l in lines[1:])))
    if rest and mode == "proxy":
        peer.sendall(f"HTTP/1.1 {rest[0]} No\r\nX-Proxy: here\r\nContent-Length: 0\r\n\r\n".encode())
        return
    port = int(lines[0].split()[1].rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port)) as server:
        peer.sendall(b"HTTP/1.1 200 Go\r\nX-Proxy: here\r\n\r\n")
        splice(peer, server)


def exactly(peer, count):
    data = b""
    while len(data) < count:
        more = peer.recv(count - len(data))
        if not more:
            raise OSError("cut off")
        data += more
    return data


def socks(peer):
    exactly(peer, exactly(peer, 2)[1])
    peer.sendall(b"\x05\x00")
    kind = exactly(peer, 4)[3]
    if kind == 3:
        host = exactly(peer, exactly(peer, 1)[0]).decode()
    else:
        host = socket.inet_ntop(socket.AF_INET, exactly(peer, 4))
    port = struct.unpack("!H", exactly(peer, 2))[0]
    note(f"{'name' if kind == 3 else 'address'} {host}")
    with socket.create_connection(("127.0.0.1", port)) as server:
        peer.sendall(b"\x05\x00\x00\x01\x7f\x00\x00\x01" + struct.pack("!H", port))
        splice(peer, server)


context = None
if mode in ("tls", "tlsproxy"):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(rest[0], rest[1])
    if len(rest) > 2:
        context.load_verify_locations(rest[2])
        context.verify_mode = ssl.CERT_REQUIRED
work = {"tls": serve, "proxy": proxy, "tlsproxy": proxy, "socks": socks}[mode]


def handle(peer):
    try:
        peer.settimeout(20)
        if context:
            peer = context.wrap_socket(peer, server_side=True)
        work(peer)
    except (OSError, ssl.SSLError):
        pass
    finally:
        peer.close()


listener = socket.create_server(("127.0.0.1", 0))
listener.settimeout(120)
with open(f"{folder}/port.new", "w", encoding="utf-8") as file:
    file.write(str(listener.getsockname()[1]))
os.rename(f"{folder}/port.new", f"{folder}/port")
while True:
    threading.Thread(target=handle, args=(listener.accept()[0],), daemon=True).start()
