"""Fails every write, sync, open and read of the driver in turn, once and from then on for good.

Shows: nothing that was acknowledged is lost, no refresh token is spent twice, the program says which
error it was instead of crashing, and the same verb succeeds once the disk is well again.

    io_errors.py [--verbs a,b] [--errors EIO,ENOSPC] [--seconds N]
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import threading
import time

import common
import kills
import verbs
from common import Violation, fail, require

CALLS = ("pwrite64", "write", "fdatasync", "fsync", "openat", "ftruncate", "unlink", "link", "rename")
NAMED = re.compile(r"fault-driver: error: (store|sqlite|unknown commit: sqlite|system|vault|permission|server|key|sealing)\b")


class Tally:
    def __init__(self):
        self.lock = threading.Lock()
        self.injected = {}
        self.survived = 0
        self.violations = 0

    def count(self, verb, ended):
        with self.lock:
            self.injected[verb.name] = self.injected.get(verb.name, 0) + 1
            self.survived += ended.status == 0

    def violate(self, words):
        with self.lock:
            self.violations += 1
            fail(words)


def spoiled_run(stage, verb, call, number, error, log):
    """One run with an error in its nth call of a kind; how it ended, and whether the error happened."""
    inject = f"inject={call}:error={error}:when={number}"
    command = ["strace", "-o", log, "-e", f"trace={call}", "-e", inject]
    ended = common.run(command + stage.command(verb.name, verb.rounds))
    with open(log, encoding="utf-8", errors="replace") as lines:
        return ended, any("INJECTED" in line for line in lines)


# What no single bad read may be taken for.
DAMAGE = re.compile(r"sqlite (11|26) |damaged|tampered|sealing")


def judge(stage, verb, call, before, ended):
    """The rules, after one run that met an error."""
    require(ended.status in (0, 1), f"it crashed: exit {ended.status}: {ended.err.strip()[-300:]}")
    if ended.status == 1:
        believes = verb.rereads and call == "pread64" and DAMAGE.search(ended.err)
        require(not believes, f"one bad read is damage: {ended.err.strip()}")
        require(NAMED.search(ended.err), f"its error has no name: {ended.err.strip()[-300:]}")
    after = verb.look(stage)
    verb.verify(stage, before, [ended], after)
    again = common.run(stage.command(verb.mended_by or verb.name, verb.rounds)).require_success()
    verb.verify(stage, after, [again], verb.look(stage))


def spoil(verb, template, directory, call, error, first, lasting, tally, deadline):
    """N = first, first + 1, ... until a run makes fewer calls than that."""
    number = first
    while not common.is_over(deadline):
        stage = template.copy(os.path.join(directory, f"{verb.name}-{call}-{error}-{number}{lasting}"))
        what = f"{verb.name}: {error} at {call} {number}{lasting}"
        try:
            before = verb.look(stage)
            ended, happened = spoiled_run(stage, verb, call, f"{number}{lasting}", error, f"{stage.root}.log")
            if not happened:
                return
            tally.count(verb, ended)
            judge(stage, verb, call, before, ended)
        except Violation as violation:
            tally.violate(f"{what}: {violation}")
        finally:
            stage.remove()
        number += 1
    tally.violate(f"{verb.name}: {call} was not gone through in time")


def first_numbers(verb, directory):
    """For each call its first number that is the vault's and not the start of the program."""
    found = {}
    for call, number, _ in kills.points(verb, directory):
        found.setdefault(call, number)
    return found


def run_all(chosen, errors, calls, directory, tally, deadline):
    with concurrent.futures.ThreadPoolExecutor(kills.WORKERS) as pool:
        jobs = []
        for verb in chosen:
            first = first_numbers(verb, directory)
            template = verb.make(os.path.join(directory, f"template-{verb.name}"))
            for call in calls:
                for error in errors if call != "pread64" else ["EIO"]:
                    for lasting in ("", "+"):
                        # A disk that reads nothing leaves no choice, and without `write` nobody
                        # could say what is wrong.
                        if call not in first or (call in ("pread64", "write") and lasting):
                            continue
                        arguments = (verb, template, directory, call, error, first[call], lasting)
                        jobs.append(pool.submit(spoil, *arguments, tally, deadline))
        for job in jobs:
            job.result()


def main():
    parser = argparse.ArgumentParser()
    traced = [verb for verb in verbs.ALL if verb.is_traced]
    parser.add_argument("--verbs", default=",".join(verb.name for verb in traced))
    parser.add_argument("--errors", default="EIO,ENOSPC")
    parser.add_argument("--calls", default=",".join((*CALLS, "pread64")))
    parser.add_argument("--seconds", type=int, default=1800)
    options = parser.parse_args()
    chosen = [verb for verb in traced if verb.name in options.verbs.split(",")]
    tally = Tally()
    directory = common.temporary_directory("errors")
    begun = time.monotonic()
    try:
        run_all(
            chosen, options.errors.split(","), options.calls.split(","), directory, tally, begun + options.seconds
        )
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    for name, count in sorted(tally.injected.items()):
        print(f"    {name:8} {count:5} errors")
    print(f"    {tally.survived} runs ended well all the same; {time.monotonic() - begun:.0f} s")
    missing = len(chosen) - len(tally.injected)
    summary = f"{sum(tally.injected.values())} errors in {len(chosen)} verbs"
    common.finish("io-errors", tally.violations + missing, summary)


if __name__ == "__main__":
    main()
