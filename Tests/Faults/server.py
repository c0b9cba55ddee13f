"""The test authorization server, and programs that refresh at it: over VaultKit, or the shipping ones."""

import http.client
import json
import os
import subprocess
import time
import urllib.parse

import common
from common import Ended, Violation

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
        except ConnectionError:
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

    def script(self, *answers):
        """What the next token requests meet."""
        self.request("POST", "/test/script", json.dumps(answers))

    def settle(self):
        """Waits until nothing is on its way to it from somebody who is dead."""
        end = time.monotonic() + 10
        while self.has_orphans():
            if time.monotonic() > end:
                raise Violation("the server did not get done with a request")
            time.sleep(0.001)

    def has_orphans(self):
        port = f":{urllib.parse.urlsplit(self.endpoint).port:04X}"
        with open("/proc/net/tcp", encoding="ascii") as table:
            rows = [line.split()[1:4] for line in table][1:]
        # CLOSE_WAIT, or closed by the other side before it was taken.
        return any(local.endswith(port) and state == "08" for local, _, state in rows)

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


class Vault:
    """The shipping `vault` on a vault of its own, with the agent that it starts; `with` ends that."""

    PROGRAM = os.path.join(common.ROOT, ".build/bin/vault")

    def __init__(self, home, directory):
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": home,
            "XDG_STATE_HOME": os.path.join(home, "state"),
            "VAULT_HOME": directory,
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end = time.monotonic() + 70
        # An agent with a pair that is not saved yet does not stop.
        while self.run("agent", "stop", limit=70).status == 11 and time.monotonic() < end:
            time.sleep(0.1)

    def start(self, *words):
        return common.start([self.PROGRAM, *words], env=self.environment)

    @staticmethod
    def ended(process, limit=common.LIMIT):
        out, err = process.communicate(timeout=limit)
        return Ended(process.returncode, out, err)

    def run(self, *words, limit=common.LIMIT):
        return common.run([self.PROGRAM, *words], limit, env=self.environment)

    def add(self, name, server):
        """An account with a new grant of the server."""
        command = [self.PROGRAM, "add", name, "--token-endpoint", server.endpoint, "--client-id", "test-public"]
        options = {"env": self.environment, "capture_output": True, "text": True, "timeout": common.LIMIT}
        added = subprocess.run(command, input=server.issue(name), check=False, **options)
        if added.returncode != 0:
            raise Violation(f"adding {name}: {added.stderr.strip()}")

    def status(self, name):
        """What `vault status` shows of an account."""
        return json.loads(self.run("status", name, "--json").require_success().out)["accounts"][0]

    def state(self, name):
        """The state of an account as the agent has it, in its memory too."""
        socket = os.path.join(self.environment["VAULT_HOME"], "agent.sock")
        call = ["curl", "-fsS", "--unix-socket", socket, "http://agent/v1/accounts"]
        listed = json.loads(common.run(call).require_success().out)["accounts"]
        return next(account["state"] for account in listed if account["name"] == name)
