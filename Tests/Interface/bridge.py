"""A way to the agent's socket for tools that only know TCP, on a port of 127.0.0.1."""

import socket
import threading
import time


class Bridge:
    """Joins each connection to a new one to the socket; `with` ends it."""

    def __init__(self, path, start_agent):
        self.path = path
        self.start_agent = start_agent
        self.starting = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.join, args=(client,), daemon=True).start()

    def join(self, client):
        try:
            agent = self.connect()
        except OSError:
            client.close()
            return
        threading.Thread(target=copy, args=(client, agent), daemon=True).start()
        copy(agent, client)
        client.close()
        agent.close()

    def connect(self):
        """A connection to the agent, which is started anew where a request has ended it."""
        end = time.monotonic() + 30
        while True:
            agent = socket.socket(socket.AF_UNIX)
            try:
                agent.connect(self.path)
                return agent
            except (FileNotFoundError, ConnectionRefusedError):
                agent.close()
                if time.monotonic() > end:
                    raise
                with self.starting:
                    self.start_agent()
                # One that is still going keeps the next one out.
                time.sleep(0.02)


def copy(source, target):
    try:
        while piece := source.recv(1 << 16):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
