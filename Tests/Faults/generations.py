"""Lets 16 commands and 16 programs without a common agent renew one account, 200 times over.

Shows: a strict server gets exactly one token request for each generation and never the same refresh
token twice, everybody is served each generation's token, and nearly everybody sends at some time.

There is one agent a vault, and `vault` itself never talks to a server: here each `vault` has an agent
of its own, and all of them are the shipping programs. Each pair works in a directory of its own with
its own socket and log, on which the files of the one vault are bind-mounted in a mount namespace that
ends with this process; what makes several agents possible is own_agent.c, which grants each of them
the lock of the only agent and nothing else. The other half are programs over VaultKit in the vault's
own directory.

A generation is asked for by `--min-valid`: the server's tokens live `--age` seconds longer than what
everybody asks for, so that the last one is no longer good enough after that time, for anybody.

    generations.py [--vaults N] [--programs N] [--generations N] [--age SECONDS] [--senders N] [--seed N]
"""

import argparse
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import common
import disks
from common import Stage, Violation, check, fail, require
from server import Program, Server

ACCOUNT = "work"
MINIMUM = 3600  # seconds that everybody wants of a token
VAULT = os.path.join(common.ROOT, ".build/bin/vault")
AGENT = os.path.join(common.ROOT, ".build/bin/vault-agent")
# Between the first and the last of a crowd, so that it is not always the same who comes first.
SPREAD = 0.03


def in_mount_namespace(name):
    """Runs this program again where its mounts are nobody else's and end with it."""
    if os.environ.get("VAULT_FAULTS_NAMESPACE") == str(os.getpid()):
        return
    disks.require_mounts(name)
    os.environ["VAULT_FAULTS_NAMESPACE"] = str(os.getpid())
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])


def build_own_agent(directory):
    library = os.path.join(directory, "own_agent.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "own_agent.c")
    subprocess.run(["cc", "-O1", "-Wall", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


class Command:
    """`vault` with an agent of its own, in a directory of its own with the files of the vault."""

    def __init__(self, stage, number, library):
        self.home = os.path.join(stage.root, f"vault-{number}")
        os.makedirs(self.home, mode=0o700)
        self.mounted = []
        for name in os.listdir(stage.vault):
            path = os.path.join(stage.vault, name)
            if os.path.isfile(path):
                open(os.path.join(self.home, name), "xb").close()
                disks.system("mount", "--bind", path, os.path.join(self.home, name))
                self.mounted.append(os.path.join(self.home, name))
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": stage.root, "VAULT_HOME": self.home}
        self.complaints = open(os.path.join(stage.root, f"agent-{number}"), "w+", encoding="utf-8")
        self.agent = subprocess.Popen(
            [AGENT],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.complaints,
            env=self.environment | {"LD_PRELOAD": library},
        )

    def wait_until_ready(self):
        end = time.monotonic() + 20
        while not os.path.exists(os.path.join(self.home, "agent.sock")):
            require(self.agent.poll() is None and time.monotonic() < end, f"no agent: {self.said()}")
            time.sleep(0.02)

    def said(self):
        self.complaints.seek(0)
        return self.complaints.read().strip()

    def ask(self):
        command = [VAULT, "token", ACCOUNT, "--json", "--min-valid", str(MINIMUM)]
        self.call = common.start(command, env=self.environment)

    def generation(self):
        out, err = self.call.communicate(timeout=common.LIMIT)
        require(self.call.returncode == 0 and not err, f"vault ended with {self.call.returncode}: {err.strip()}")
        return json.loads(out)["generation"]

    def sent(self):
        """How many refreshes its agent has done, by the agent's own log."""
        with open(os.path.join(self.home, "agent.log"), encoding="utf-8") as log:
            return sum(json.loads(line)["what"] == "refreshed" for line in log)

    def end(self):
        self.agent.send_signal(signal.SIGTERM)
        require(self.agent.wait(timeout=common.LIMIT) == 0, f"an agent ended badly: {self.said()}")
        self.complaints.close()

    def kill(self):
        if self.agent.poll() is None:
            self.agent.kill()
            self.agent.wait()
        for path in self.mounted:
            disks.system("umount", path)


class LibraryProgram(Program):
    """A program over VaultKit in the vault's own directory."""

    def wait_until_ready(self):
        require(self.until("ready"), "a program did not open the vault")

    def ask(self):
        self.tell("token", ACCOUNT, str(MINIMUM))

    def generation(self):
        words = self.result()
        require(words[:1] == ["served"], f"a program was not served: {words}")
        return int(words[2])

    def sent(self):
        return sum(name == "answered" for name, _ in self.steps)


def make_vault(directory, server):
    """A vault with one account whose first token is not good enough for anybody."""
    stage = Stage(directory)
    os.makedirs(stage.work, mode=0o700)
    common.run(stage.command("init", 0)).require_success()
    program = Program(stage)
    response = json.dumps(json.loads(server.issue(ACCOUNT)) | {"expires_in": 100}, separators=(",", ":"))
    words = program.ask("sign-in", ACCOUNT, "unknown", server.endpoint, response)
    require(words[:1] == ["account"], f"signing in: {words}")
    program.end()
    return stage


def renew(crowd, chance, expected, age):
    """One generation: everybody asks, in any order, and gets the same."""
    begun = time.monotonic()
    for someone in chance.sample(crowd, len(crowd)):
        someone.ask()
        time.sleep(chance.uniform(0, SPREAD / len(crowd)))
    served = [someone.generation() for someone in crowd]
    over = time.monotonic()
    require(over - begun < age, f"this machine is too slow: {over - begun:.1f} s for one generation; raise --age")
    counted = collections.Counter(served)
    require(set(served) == {expected}, f"generation {expected}: served {dict(counted)}")
    # From now on what was served is too old, however late in the round it was got.
    time.sleep(age + 0.02)
    return over - begun


def race(crowd, server, stage, options):
    chance = random.Random(options.seed)
    times = [renew(crowd, chance, number + 2, options.age) for number in range(options.generations)]
    sent = [someone.sent() for someone in crowd]
    for someone in crowd:
        someone.end()
    statistics = server.statistics()
    account = check(stage).accounts[ACCOUNT]
    require(statistics["tokenRequests"] == options.generations, f"{statistics['tokenRequests']} token requests")
    require(statistics["reuseDetections"] == 0, f"{statistics['reuseDetections']} reuse detections")
    require(statistics["mostPostsOfOneRefreshToken"] == 1, "a refresh token was sent twice")
    require(account["generation"] == options.generations + 1, f"generation {account['generation']} is stored")
    require(not account["hasIntent"], "a refresh was left half done")
    require(sum(sent) == options.generations, f"{sum(sent)} refreshes by their own account")
    senders = sum(count > 0 for count in sent)
    require(senders >= options.senders, f"only {senders} of {len(crowd)} did a refresh: {sent}")
    print(f"    refreshes by each vault {sent[: options.vaults]}, by each program {sent[options.vaults :]}")
    print(f"    slowest generation {max(times):.2f} s from the first question to the last answer")
    return senders


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--vaults", type=int, default=16)
    parser.add_argument("--programs", type=int, default=16)
    parser.add_argument("--generations", type=int, default=200)
    parser.add_argument("--age", type=int, default=2)
    parser.add_argument("--senders", type=int, default=24)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    return parser.parse_args()


def main():
    options = arguments()
    in_mount_namespace("generations")
    directory = common.temporary_directory("generations")
    crowd = []
    summary = ""
    violations = 0
    try:
        library = build_own_agent(directory)
        with Server("strict", MINIMUM + options.age) as server:
            stage = make_vault(os.path.join(directory, "stage"), server)
            for number in range(options.vaults):
                crowd.append(Command(stage, number, library))
            for _ in range(options.programs):
                crowd.append(LibraryProgram(stage))
            for someone in crowd:
                someone.wait_until_ready()
            senders = race(crowd, server, stage, options)
            summary = (
                f"{options.vaults} vault and {options.programs} VaultKit processes, {options.generations} generations:"
                f" {options.generations} token requests, 0 reuse detections, {senders} of {len(crowd)} did a refresh"
            )
    except (Violation, subprocess.SubprocessError) as violation:
        fail(violation)
        violations += 1
    finally:
        for someone in crowd:
            someone.kill()
        shutil.rmtree(directory, ignore_errors=True)
    print(f"    seed {options.seed}")
    common.finish("generations", violations, summary)


if __name__ == "__main__":
    main()
