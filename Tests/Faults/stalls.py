"""Lets a server take its time over an answer, and stops the process that waits for one.

Shows: whoever else needs the account meanwhile sends nothing, is told so within the time it has, and
is served at once where a token still lives. An answer that comes late is stored. A process that was
stopped for longer than its request may take stores the pair once it goes on, or knows that the
outcome is unknown.

    stalls.py [--slow SECONDS] [--stop SECONDS]
"""

import argparse
import os
import shutil
import signal
import subprocess
import time

import common
from common import Stage, Violation, check, fail, require
from server import Program, Server, Vault

PATIENCE = "0.1"  # seconds that who polls is ready to wait
COMMAND_PATIENCE = 60  # seconds that `vault` is


class Scene:
    """An account that has expired, one that has not, and two processes over VaultKit."""

    def __init__(self, directory):
        self.stage = Stage(directory)
        os.makedirs(self.stage.work, mode=0o700)
        common.run(self.stage.command("init", 0)).require_success()
        self.server = Server("strict")
        self.holder = Program(self.stage)
        self.other = Program(self.stage)
        self.asked = 0

    def __enter__(self):
        for name in ("work", "living"):
            response = self.server.issue(name)
            if name == "work":
                response = response.replace('"expires_in":3600', '"expires_in":1')
            words = self.other.ask("sign-in", name, "unknown", self.server.endpoint, response)
            require(words[:1] == ["account"], f"signing in: {words}")
        time.sleep(1.1)
        return self

    def __exit__(self, *_):
        self.holder.kill()
        self.other.kill()
        self.server.__exit__()

    def begin(self):
        """A refresh of the holder, as far as its claim."""
        require(self.holder.until("ready"), "the holder did not open the vault")
        self.holder.tell("token", "work")
        require(self.holder.until("claimed"), "the holder did not claim")

    def poll(self):
        """What becomes of those who ask meanwhile; True once they are served."""
        begun = time.monotonic()
        words = self.other.ask("token", "work", "60", PATIENCE)
        is_served = words[:3] == ["served", "work", "2"]
        require(is_served or words[:3] == ["failed", "work", "busy"], f"while another holds the account: {words}")
        living = self.other.ask("token", "living")
        require(living[:1] == ["served"], f"the account beside it: {living}")
        require(time.monotonic() - begun < 1, f"{time.monotonic() - begun:.1f} s for an answer that was due at once")
        self.asked += 1
        sent = self.server.statistics()["tokenRequests"]
        require(sent <= 1, f"{sent} requests while another holds the account")
        return is_served


def slow_answer(directory, seconds):
    """An answer that takes so long is taken all the same."""
    with Scene(directory) as scene:
        scene.server.stand(delayAfterCommit=seconds)
        begun = time.monotonic()
        scene.begin()
        while not scene.poll():
            require(time.monotonic() - begun < seconds + 10, "the answer never came")
        words = scene.holder.result()
        require(words[:1] == ["served"], f"the holder: {words}")
        require(time.monotonic() - begun >= seconds, "the answer came too early to show anything")
        adopted = scene.other.ask("token", "work")
        require(adopted == words, f"the holder got {words[:3]}, the other {adopted[:3]}")
        require(scene.server.statistics()["tokenRequests"] == 1, "more than one request")
        require(not check(scene.stage).accounts["work"]["hasIntent"], "a refresh was left half done")
        print(f"    answer after {seconds:g} s: stored; asked {scene.asked} times meanwhile, nothing sent")


def stopped_holder(directory, seconds):
    """A process that is stopped while its answer comes."""
    with Scene(directory) as scene, Vault(directory, scene.stage.vault) as vault:
        scene.server.stand(delayAfterCommit=0.2)
        scene.begin()
        scene.holder.process.send_signal(signal.SIGSTOP)
        end = time.monotonic() + seconds
        command = vault.start("refresh", "work") if seconds > COMMAND_PATIENCE + 5 else None
        while time.monotonic() < end:
            require(not scene.poll(), "somebody was served although the holder has the lock")
        if command:
            ended = vault.ended(command)
            require(ended.status == 7 and not ended.out, f"vault refresh: exit {ended.status}: {ended.err.strip()}")
        scene.holder.process.send_signal(signal.SIGCONT)
        words = scene.holder.result()
        shown = scene.other.ask("look", "work")
        is_stored = words[:1] == ["served"] and shown[2] == "2"
        is_known = words[:3] == ["failed", "work", "outcome_unknown"] and shown[3] == "outcome_unknown"
        require(is_stored or is_known, f"after it went on: {words[:4]}, {shown}")
        require(scene.server.statistics()["tokenRequests"] == 1, "more than one request")
        outcome = "the pair was stored" if is_stored else "the outcome was known for unknown"
        print(f"    holder stopped for {seconds:g} s: {outcome}; asked {scene.asked} times meanwhile, nothing sent")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slow", type=float, default=25)
    parser.add_argument("--stop", type=float, default=75, help="a request may take 30, and `vault` waits for 60")
    options = parser.parse_args()
    directory = common.temporary_directory("stalls")
    violations = 0
    try:
        for part, seconds in ((slow_answer, options.slow), (stopped_holder, options.stop)):
            try:
                part(os.path.join(directory, part.__name__), seconds)
            except (Violation, subprocess.SubprocessError) as violation:
                fail(f"{part.__name__}: {violation}")
                violations += 1
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    summary = f"an answer after {options.slow:g} s, a holder stopped for {options.stop:g} s"
    common.finish("stalls", violations, summary)


if __name__ == "__main__":
    main()
