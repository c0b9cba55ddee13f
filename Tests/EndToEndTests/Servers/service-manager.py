#!/usr/bin/env python3
"""Plays systemd: hands a socket to a program, and says what the program tells it.

usage: service-manager.py [--fds N] [--pid N] [--kind KIND] SOCKET PROGRAM [ARGUMENT...]

KIND is what descriptor 3 is: unix (a listener on SOCKET), tcp, datagram, file, connected, elsewhere
(a listener on another path), none (closed), or off (nothing is announced, and SOCKET is not made).
Each datagram of the program is one line on standard output, its lines joined by blanks. A line on
standard input is the number of a signal for it.
"""
import argparse
import os
import select
import socket
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--fds", default="1")
parser.add_argument("--pid")
parser.add_argument("--kind", default="unix")
parser.add_argument("--path-notify", action="store_true")
parser.add_argument("socket")
parser.add_argument("program")
parser.add_argument("arguments", nargs=argparse.REMAINDER)
options = parser.parse_args()


def handed_over():
    if options.kind == "tcp":
        return socket.create_server(("127.0.0.1", 0))
    if options.kind == "datagram":
        return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    if options.kind == "connected":
        return socket.socketpair()[0]
    if options.kind == "file":
        return open("/dev/null")
    path = options.socket + (".elsewhere" if options.kind == "elsewhere" else "")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    os.umask(0o177)
    listener.bind(path)
    listener.listen(16)
    return listener


notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
if options.path_notify:
    name = options.socket + ".notify"
    notify.bind(name)
else:
    name = f"@vault-test-{os.getpid()}"
    notify.bind("\0" + name[1:])

passed = None if options.kind in ("none", "off") else handed_over()
child = os.fork()
if child == 0:
    if options.kind != "off":
        os.environ["LISTEN_FDS"] = options.fds
        os.environ["LISTEN_PID"] = options.pid or str(os.getpid())
        os.environ["LISTEN_FDNAMES"] = "agent"
    os.environ["NOTIFY_SOCKET"] = name
    if passed is not None:
        # Out of the way of 3 first: one that is 3 already would keep its close-on-exec.
        number = os.dup(passed.fileno())
        os.dup2(number, 3)
        os.set_inheritable(3, True)
    elif options.kind == "none":
        os.closerange(3, 64)
    os.execv(options.program, [options.program] + options.arguments)

ended = os.pidfd_open(child)
print(f"PID {child}", flush=True)
sources = [notify, ended, 0]
while True:
    ready = select.select(sources, [], [])[0]
    if notify in ready:
        print(notify.recv(65536).decode().replace("\n", " "), flush=True)
        continue
    if 0 in ready:
        line = sys.stdin.readline()
        if line:
            os.kill(child, int(line))
        else:
            sources.remove(0)
        continue
    break
status = os.waitpid(child, 0)[1]
print("END", "socket" if os.path.exists(options.socket) else "no-socket", flush=True)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
