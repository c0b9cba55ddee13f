"""Lets many processes refresh the same accounts while verbs change the whole vault under them.

Shows: no refresh token is spent twice, no pair is lost, none becomes unreadable. Half of the
processes go through VaultKit, half through the store alone; the server is strict.

    processes.py [--processes N] [--seconds N] [--verbs a,b]
"""

import argparse
import os
import shutil
import subprocess
import time

import common
from common import Ended, Violation, check, fail, issued, make_stage, require, serial

PATIENCE = 60  # seconds for the processes to end once they are told to


class Crowd:
    """Processes that refresh until they are told to stop."""

    def __init__(self, stage, count):
        self.stage = stage
        self.outputs = []
        self.processes = []
        for number in range(count):
            verb = ("refresh", "kit")[number % 2]
            # In files: a pipe that nobody empties would stop its writer.
            paths = [os.path.join(stage.root, f"{kind}-{number}") for kind in ("out", "err")]
            files = [open(path, "w", encoding="utf-8") for path in paths]
            command = stage.command(verb, 10_000_000)
            self.processes.append(
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=files[0], stderr=files[1])
            )
            self.outputs.append((verb, *paths))
            for file in files:
                file.close()

    def stop(self):
        """Lets every process finish what it is at; how each ended."""
        stop = os.path.join(self.stage.work, "stop")
        with open(stop, "w", encoding="ascii"):
            pass
        end = time.monotonic() + PATIENCE
        ends = []
        for process, (verb, out, err) in zip(self.processes, self.outputs):
            try:
                process.wait(timeout=max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.kill()
                raise Violation(f"a {verb} process did not stop") from None
            with open(out, encoding="utf-8") as said, open(err, encoding="utf-8") as complained:
                ends.append((verb, Ended(process.returncode, said.read(), complained.read())))
        os.remove(stop)
        return ends

    def kill(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()


def while_refreshing(stage, count, seconds, verb):
    """Runs a verb over and over beside the crowd; how often, and how each process ended."""
    crowd = Crowd(stage, count)
    try:
        times = repeat(stage, verb, time.monotonic() + seconds)
        ends = crowd.stop()
    finally:
        crowd.kill()
    for kind, ended in ends:
        require(ended.status == 0, f"{kind} beside {verb}: exit {ended.status}: {ended.err.strip()[-300:]}")
        if verb != "restore":
            require("step busy" not in ended.out, f"{kind} beside {verb}: busy")
    return times, ends


def repeat(stage, verb, end):
    times = 0
    while True:
        common.run(stage.command(verb)).require_success()
        times += 1
        if time.monotonic() > end:
            return times


def verify(stage, verb, ends):
    """Every pair that the server gave out last is the one that is stored, and opens."""
    newest = issued(stage)
    after = check(stage)
    for name, account in after.accounts.items():
        stored = serial(account["refreshToken"])
        require(not account["hasIntent"], f"{name}: a refresh was left half done")
        if verb == "restore" and account["isHeld"]:
            # An older pair came back, and waits for a person instead of being spent.
            continue
        require(stored == newest[name], f"{name}: stored {stored}, the server's newest is {newest[name]}")
        acknowledged = [save[1] for _, ended in ends for save in ended.saved if save[0] == name]
        if verb == "restore":
            continue  # generations went back with it, more than once
        require(account["generation"] >= max(acknowledged, default=0), f"{name}: an acknowledged save is lost")


def refreshes(stage):
    with open(stage.ledger, encoding="ascii") as ledger:
        return sum(line.startswith("refresh ") for line in ledger)


def beside(verb, root, options):
    """What one verb came to beside the crowd."""
    if verb == "migrate":
        return race_to_migrate(root, options)
    stage = make_stage(root, 4)
    if verb == "restore":
        common.run(stage.command("backup")).require_success()
    times, ends = while_refreshing(stage, options.processes, options.seconds, verb)
    verify(stage, verb, ends)
    return f"    {verb:8} {times:5} times beside {options.processes} processes, {refreshes(stage)} refreshes: none lost"


def race_to_migrate(root, options):
    """An old vault migrates once, so there is a new one each time; all processes open it at once."""
    rounds = max(1, int(options.seconds))
    total = 0
    for number in range(rounds):
        stage = common.make_downgraded_stage(f"{root}-{number}", 4)
        _, ends = while_refreshing(stage, options.processes, 0.3, "migrate")
        verify(stage, "migrate", ends)
        copies = os.listdir(os.path.join(stage.vault, "backups"))
        migrations = [name for name in copies if name.startswith("migration-1-")]
        require(len(migrations) == 1, f"migrated more than once: {migrations}")
        total += refreshes(stage)
        stage.remove()
    return f"    migrate  {rounds:5} times beside {options.processes} processes, {total} refreshes: none lost"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--processes", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=5, help="beside each verb")
    parser.add_argument("--verbs", default="check,add,switch,rotate,rekey,backup,restore,migrate")
    options = parser.parse_args()
    directory = common.temporary_directory("processes")
    violations = 0
    try:
        for verb in options.verbs.split(","):
            try:
                print(beside(verb, os.path.join(directory, verb), options))
            except Violation as violation:
                fail(f"{verb}: {violation}")
                violations += 1
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    summary = f"{options.processes} processes beside each of {len(options.verbs.split(','))} verbs"
    common.finish("processes", violations, summary)


if __name__ == "__main__":
    main()
