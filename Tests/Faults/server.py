"""The test authorization server, and programs that refresh at it when they are told to."""

import http.client
import json
import os
import subprocess
import urllib.parse

import common
from common import Violation

PROGRAM = os.path.join(common.ROOT, ".build/bin/vault-test-server")
WARM_UP = 20  # seconds until a program has to have said its first line


class Server:
    """A running `vault-test-server`; `with` ends it."""

    def __init__(self, profile, lifetime=3600):
        command = [PROGRAM, "--profile", profile, "--lifetime", str(lifetime)]
        # Its requests may outlast the harness by no more than this.
        self.process = subprocess.Popen(
            ["timeout", "-k", "2", "7200", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )
        self.address = json.loads(self.process.stdout.readline())
        self.endpoint = self.address["tokenEndpoint"]
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.endpoint).netloc, timeout=20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def request(self, method, path, body=None, headers=None):
        try:
            self.connection.request(method, path, body, headers or {})
            answer = self.connection.getresponse()
        except http.client.RemoteDisconnected:
            # It closes what nobody uses; what is sent after that is not read.
            self.connection.close()
            self.connection.request(method, path, body, headers or {})
            answer = self.connection.getresponse()
        return answer.status, answer.read().decode()

    def statistics(self):
        return json.loads(self.request("GET", "/test/stats")[1])

    def grant(self, subject):
        """The subject's latest grant: isRevoked, refreshes, committedAt."""
        return json.loads(self.request("GET", f"/test/grant?subject={subject}")[1])

    def issue(self, subject):
        """A new grant; its token response."""
        return self.request("POST", "/test/issue", json.dumps({"subject": subject, "clientID": "test-public"}))[1]

    def stand(self, **answer):
        """What every token request meets from now on."""
        self.request("POST", "/test/standing", json.dumps(answer))

    def accepts(self, token):
        return self.request("GET", "/api/whoami", headers={"Authorization": f"Bearer {token}"})[0] == 200


class Program:
    """A process over VaultKit that does what it is told, line by line."""

    def __init__(self, stage, **environment):
        self.process = subprocess.Popen(
            stage.command("http"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=-1,
            env=os.environ | environment,
        )
        self.steps = []

    def tell(self, *words):
        self.process.stdin.write((" ".join(words) + "\n").encode())
        self.process.stdin.flush()

    def line(self):
        """The next line as words; none once it is dead."""
        words = self.process.stdout.readline().decode().split()
        if words[:1] == ["step"]:
            self.steps.append((words[1], int(words[2]) / 1e6 if len(words) > 2 else None))
        return words

    def until(self, step):
        """Reads on to a step; false when another line comes first."""
        while words := self.line():
            if words[0] != "step":
                return False
            if words[1] == step:
                return True
        return False

    def result(self):
        """What came of the last order; nothing from one who died."""
        while words := self.line():
            if words[0] != "step":
                return words
        return []

    def ask(self, *words):
        self.tell(*words)
        return self.result()

    def end(self):
        """Lets it end by itself."""
        self.process.stdin.close()
        try:
            status = self.process.wait(timeout=WARM_UP)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Violation("a program did not end") from None
        self.process.stdout.close()
        with self.process.stderr as words:
            complaint = words.read().decode().strip()
        if status != 0:
            raise Violation(f"a program ended with {status}: {complaint[-300:]}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
