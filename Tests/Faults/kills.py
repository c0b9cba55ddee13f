"""Kills the driver at every system call and at random moments, and looks at what is left.

Shows: of what was acknowledged nothing is ever lost, the vault always opens, no account is half
written, and a killed verb can be done again. Kills are counted by verb and by the step of its
protocol that they fell in.

    kills.py [--kills N] [--per-step N] [--seconds N] [--verbs a,b] [--seed N]
"""

import argparse
import concurrent.futures
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import common
import verbs
from common import Ended, Violation, fail

# The calls that change a file, or stand between two that do.
CALLS = (
    "pwrite64 write fdatasync fsync openat fcntl close unlink unlinkat ftruncate rename renameat"
    " renameat2 link linkat mkdir mkdirat fchmod fchown fallocate pread64 read newfstatat lseek flock"
).split()
KILLED = -signal.SIGKILL
WORKERS = 2


class Tally:
    """How often each verb was killed in each step, over all workers."""

    def __init__(self):
        self.lock = threading.Lock()
        self.kills = {}
        self.at_random = 0
        self.ended = 0
        self.violations = []

    def count(self, verb, ended, at_random):
        with self.lock:
            if ended.status not in (KILLED, 128 + signal.SIGKILL):
                self.ended += 1
                return
            key = (verb.name, ended.step)
            self.kills[key] = self.kills.get(key, 0) + 1
            self.at_random += at_random

    def violate(self, words):
        with self.lock:
            self.violations.append(words)
            fail(words)

    @property
    def total(self):
        return sum(self.kills.values())

    def of(self, verb, step=None):
        return sum(n for (name, at), n in self.kills.items() if name == verb.name and step in (None, at))


# Where to kill


def points(verb, directory):
    """The system calls of one undisturbed run: (call, its number, step)."""
    if not verb.is_traced:
        # All but the first come again with every refresh.
        return [("announcement", number, step) for step in verb.steps for number in range(1, 2 if step == "open" else 8)]
    stage = verb.make(os.path.join(directory, f"plan-{verb.name}"))
    log = os.path.join(directory, f"plan-{verb.name}.log")
    common.run(["strace", "-o", log, *stage.command(verb.name, verb.rounds)]).require_success()
    with open(log, encoding="utf-8", errors="replace") as lines:
        found = list(read_points(lines))
    stage.remove()
    return found


def read_points(lines):
    counts = {}
    step = "start"
    for line in lines:
        match = re.match(r"(\w+)\(", line)
        if not match:
            continue
        call = match.group(1)
        counts[call] = counts.get(call, 0) + 1
        if call in CALLS and step != "start":
            yield call, counts[call], step
        marker = re.search(r'write\(1, "step ([\w-]+)', line)
        if marker:
            step = marker.group(1)


def killed_at(verb, stage, call, number):
    """One run that dies when it makes a call for the nth time."""
    inject = f"inject={call}:signal=KILL:when={number}"
    command = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject]
    return common.run(command + stage.command(verb.name, verb.rounds))


def killed_itself(verb, stage, step, number):
    """One run that dies right after it announced a step for the nth time."""
    ended = common.run(stage.command(verb.name, 1000), env=os.environ | {"FAULT_DIE": f"{step}:{number}"})
    ended.step = step
    return ended


def killed_after(verb, stage, delay):
    """One run that is killed some seconds after it began its work."""
    process = common.start(stage.command(verb.name, 10_000), text=False, bufsize=0)
    try:
        first = os.read(process.stdout.fileno(), 65536)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        out, err = process.communicate(timeout=common.LIMIT)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    return Ended(process.returncode, (first + out).decode(), err.decode())


# One vault after the other


class Worker:
    """Kills one verb over and over, on vaults of its own."""

    def __init__(self, verb, found, directory, tally, seed):
        self.verb = verb
        # Every call of a step in turn, then all over again.
        self.turn = {step: itertools.cycle([p for p in found if p[2] == step]) for step in {p[2] for p in found}}
        self.directory = directory
        self.tally = tally
        self.random = random.Random(seed)
        self.seed = seed
        self.template = None

    def kill(self, stage, step):
        """One kill, in a step if one is named."""
        if step is None:
            ended = killed_after(self.verb, stage, self.random.uniform(0.0005, 0.012))
        else:
            call, number, _ = next(self.turn[step])
            if self.verb.is_traced:
                ended = killed_at(self.verb, stage, call, number)
            else:
                ended = killed_itself(self.verb, stage, step, number)
        self.tally.count(self.verb, ended, step is None)
        return ended

    def work(self, step):
        """Kills on one vault until it has had enough, then the verb once to its end."""
        root = os.path.join(self.directory, f"{self.verb.name}-{threading.get_ident()}")
        shutil.rmtree(root, ignore_errors=True)
        if self.template is None:
            self.template = self.verb.make(f"{root}-template")
        stage = self.template.copy(root)
        try:
            self.spoil(stage, step)
        except (Violation, subprocess.SubprocessError) as violation:
            kept = self.keep(stage)
            self.tally.violate(f"{self.verb.name} ({step or 'at random'}): {violation}; kept: {kept}")
        finally:
            stage.remove()

    def spoil(self, stage, step):
        before = self.verb.look(stage)
        for _ in range(self.verb.kills_per_vault):
            runs = [self.kill(stage, step)]
            # A second one falls on the recovery from the first.
            if self.verb.kills_per_vault > 1 and self.random.random() < 0.25:
                runs.append(self.kill(stage, step))
            after = self.verb.look(stage)
            self.verb.verify(stage, before, runs, after)
            before = after
        last = self.verb.mended_by or self.verb.name
        ended = common.run(stage.command(last, self.verb.rounds)).require_success()
        self.verb.verify(stage, before, [ended], self.verb.look(stage))

    def keep(self, stage):
        """A spoiled vault is evidence."""
        kept = os.path.join(common.ROOT, ".build", "faults", f"{self.verb.name}-{self.seed}-{time.time_ns()}")
        shutil.copytree(stage.root, kept, symlinks=True)
        return os.path.relpath(kept, common.ROOT)


def round_of(verb, found, directory, tally, goal, deadline, seed):
    """Kills until every step of a verb has its number and the verb its share."""
    worker = Worker(verb, found, directory, tally, seed)
    planned = {step for _, _, step in found}
    for step in [step for step in verb.steps if step in planned]:
        while tally.of(verb, step) < goal["per_step"] and not common.is_over(deadline):
            worker.work(step)
    while tally.of(verb) < goal["per_verb"] and not common.is_over(deadline):
        worker.work(None)


def run_all(chosen, directory, tally, goal, deadline, seed):
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        jobs = []
        for index, verb in enumerate(chosen):
            found = points(verb, directory)
            jobs.append(
                pool.submit(round_of, verb, found, directory, tally, goal, deadline, seed + index)
            )
        for job in jobs:
            job.result()


def print_table(chosen, tally, goal):
    """The counts by verb and step, and whether each is what was promised."""
    short = 0
    for verb in chosen:
        steps = sorted(step for name, step in tally.kills if name == verb.name)
        counts = ", ".join(f"{step} {tally.of(verb, step)}" for step in steps)
        print(f"    {verb.name:8} {tally.of(verb):6} kills: {counts}")
        short += any(tally.of(verb, step) < goal["per_step"] for step in verb.steps)
    print(f"    in all   {tally.total:6} kills, {tally.at_random} of them at random; {tally.ended} runs ended first")
    return short


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=10_000)
    parser.add_argument("--per-step", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--verbs", default=",".join(verb.name for verb in verbs.ALL))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    return parser.parse_args()


def main():
    options = arguments()
    chosen = [verb for verb in verbs.ALL if verb.name in options.verbs.split(",")]
    goal = {"per_step": options.per_step, "per_verb": -(-options.kills // len(chosen))}
    tally = Tally()
    directory = common.temporary_directory("kills")
    begun = time.monotonic()
    try:
        run_all(chosen, directory, tally, goal, begun + options.seconds, options.seed)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    short = print_table(chosen, tally, goal)
    if short or tally.total < options.kills:
        tally.violate(f"only {tally.total} kills of {options.kills}, {short} verbs without {options.per_step} per step")
    print(f"    seed {options.seed}, {time.monotonic() - begun:.0f} s")
    summary = f"{tally.total} kills of {len(chosen)} verbs, {tally.at_random} of them at random"
    common.finish("kills", len(tally.violations), summary)


if __name__ == "__main__":
    sys.exit(main())
