"""Builds the program with a fault in it, four times, and lets the harness look for it.

Shows: the tests of this folder fail when a save is acknowledged before it is committed, when the
disk is not waited for, when a pair is shown before it is stored and when an account's lock is given
back before the commit. What finds no fault in the mutants would find none in the program.

    mutants.py [--only NAME,NAME]
"""

import argparse
import os
import re
import subprocess
import sys
import time

import common
import disks
from common import fail

SCRATCH = os.path.join(common.ROOT, ".build", "mutants")
BUILD_LIMIT = 1200
HERE = os.path.dirname(os.path.abspath(__file__))

# Each mutant, and the part of the harness that has to fail on it. None is looked at by luck: on the
# program itself the same part finds nothing.
MUTANTS = {
    "ACKNOWLEDGE_BEFORE_COMMIT": ["kills.py", "--verbs", "refresh,add,switch", "--kills", "60", "--per-step", "5"],
    "SYNCHRONOUS_OFF": ["power_cuts.py", "--cuts", "20", "--control", "3"],
    "PUBLISH_BEFORE_INSTALL": ["kills.py", "--verbs", "kit", "--kills", "49", "--per-step", "7"],
    "UNLOCK_BEFORE_COMMIT": ["processes.py", "--verbs", "check", "--processes", "8", "--seconds", "2"],
}


def build(name):
    """The driver with one fault in it. One scratch path for all: the next compiles what differs."""
    environment = os.environ | {"VAULT_MUTANT": name}
    command = ["swift", "build", "--quiet", "--scratch-path", SCRATCH, "--product", "fault-driver"]
    built = subprocess.run(
        command, cwd=common.ROOT, env=environment, capture_output=True, text=True, timeout=BUILD_LIMIT
    )
    if built.returncode != 0:
        sys.exit(f"mutants: {name} does not build:\n{(built.stdout + built.stderr)[-3000:]}")
    return os.path.join(SCRATCH, "debug", "fault-driver")


def run_part(part, driver):
    environment = os.environ | {"FAULT_DRIVER": driver}
    command = [sys.executable, os.path.join(HERE, part[0]), *part[1:]]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


def try_mutant(name, part):
    """Whether the part failed on the mutant, for a violation and nothing else."""
    begun = time.monotonic()
    driver = build(name)
    built = time.monotonic() - begun
    ended = run_part(part, driver)
    violations = re.findall(r"VIOLATION (.*)", ended.stdout)
    caught = ended.returncode == 1 and bool(violations)
    word = "caught" if caught else "NOT CAUGHT"
    print(f"    {name:26} {word} by {part[0]} (built in {built:.0f} s)")
    if caught:
        print(f"        {violations[0].split('; kept')[0][:150]}")
    else:
        fail(f"{part[0]} exit {ended.returncode}: {(ended.stdout + ended.stderr)[-500:]}")
    return caught


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default=",".join(MUTANTS))
    options = parser.parse_args()
    disks.require_mounts("mutants")
    chosen = options.only.split(",")
    caught = sum(try_mutant(name, MUTANTS[name]) for name in chosen)
    common.finish("mutants", len(chosen) - caught, f"{caught} of {len(chosen)} caught")


if __name__ == "__main__":
    main()
