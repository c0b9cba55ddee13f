"""Cuts the power of the disk a vault is on while its tokens are refreshed.

Shows: a save that was acknowledged before the cut is there after it. The control does the same to a
database in write-ahead mode with `synchronous=NORMAL`, which must lose some: a harness that sees no
loss there would see none anywhere.

    power_cuts.py [--cuts N] [--control N] [--seed N]
"""

import argparse
import os
import random
import select
import shutil
import sqlite3
import subprocess
import sys
import time

import common
import disks
from common import Ended, Stage, Violation, check, fail, issued, require, serial

CONTROL = """
import sqlite3, sys, time, os
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA synchronous = NORMAL")
database.execute("CREATE TABLE IF NOT EXISTS saved (number INTEGER PRIMARY KEY, filler BLOB)")
number = database.execute("SELECT ifnull(max(number), 0) FROM saved").fetchone()[0]
while True:
    number += 1
    database.execute("INSERT INTO saved VALUES (?, zeroblob(500))", (number,))
    os.write(1, f"saved control {number} 0 {time.monotonic_ns() // 1000}\\n".encode())
"""


def build_shutdown(directory):
    program = os.path.join(directory, "shutdown")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shutdown.c")
    subprocess.run(["cc", "-O1", "-Wall", "-o", program, source], check=True)
    return program


def first_saves(process, count):
    """What a writer says until it has saved so often, a second at most."""
    said = b""
    end = time.monotonic() + 1
    while said.count(b"saved") < count and (left := end - time.monotonic()) > 0:
        if select.select([process.stdout], [], [], left)[0]:
            said += os.read(process.stdout.fileno(), 65536)
    return said


def cut(disk, shutdown, command, chance):
    """Runs a writer, cuts its power in the middle, and brings the disk back.

    The saves acknowledged before the cut began, and all that were acknowledged.
    """
    process = common.start(command, text=False, bufsize=0)
    try:
        first = first_saves(process, chance.randrange(1, 30))
        time.sleep(chance.uniform(0, 0.01))
        begun = int(disks.system(shutdown, disk.path).split()[0])
    finally:
        process.kill()
        out, err = process.communicate()
    disk.unmount()
    disk.mount()
    ended = Ended(process.returncode, (first + out).decode(), err.decode())
    return [save for save in ended.saved if save[3] < begun], ended.saved


def compare(before, after, durable, saved):
    """No account may be behind what was acknowledged for it before the cut."""
    lost = 0
    for name in before.accounts:
        mine = [save for save in durable if save[0] == name]
        generation = after.generation(name)
        if mine and generation < mine[-1][1]:
            lost += mine[-1][1] - generation
        said = max([save[1] for save in saved if save[0] == name], default=before.generation(name))
        require(before.generation(name) <= generation, f"{name} went back to before the run")
        require(generation <= said + 1, f"{name} is ahead of all that was said")
    return lost


def cut_vault(cuts, directory, shutdown, chance):
    """How many saves a vault was told of and lost, and how many there were."""
    lost = acknowledged = 0
    with disks.LoopDisk(directory, 32) as disk:
        stage = Stage(directory)
        stage.vault = os.path.join(disk.path, "vault")
        os.makedirs(stage.work, mode=0o700)
        common.run(stage.command("init", 3)).require_success()
        os.sync()
        before = check(stage)
        for _ in range(cuts):
            durable, saved = cut(disk, shutdown, stage.command("refresh", 100_000), chance)
            after = check(stage)
            lost += compare(before, after, durable, saved)
            acknowledged += len(durable)
            newest = issued(stage)
            for name, account in after.accounts.items():
                behind = serial(account["refreshToken"]) < newest[name]
                require(not behind or account["hasIntent"], f"{name}: spent without an intent")
            before = after
        common.run(stage.command("refresh", 3)).require_success()
    return lost, acknowledged


def cut_control(cuts, directory, shutdown, chance):
    """The same for the database that must lose."""
    lost = acknowledged = 0
    with disks.LoopDisk(directory, 32) as disk:
        path = os.path.join(disk.path, "control.db")
        for _ in range(cuts):
            durable, _ = cut(disk, shutdown, [sys.executable, "-c", CONTROL, path], chance)
            acknowledged += len(durable)
            lost += max(0, (durable[-1][1] if durable else 0) - newest_control(path))
    return lost, acknowledged


def newest_control(path):
    database = sqlite3.connect(path)
    try:
        return database.execute("SELECT ifnull(max(number), 0) FROM saved").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        database.close()


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--control", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    return parser.parse_args()


def main():
    options = arguments()
    disks.require_mounts("power-cuts")
    chance = random.Random(options.seed)
    directory = common.temporary_directory("power")
    violations = 0
    summary = "broken off"
    try:
        shutdown = build_shutdown(directory)
        for name in ("vault", "control"):
            os.mkdir(os.path.join(directory, name))
        lost, total = cut_vault(options.cuts, os.path.join(directory, "vault"), shutdown, chance)
        summary = f"{options.cuts} cuts, {lost} of {total} saves lost"
        print(f"    vault:   {options.cuts} cuts, {total} saves acknowledged before them, {lost} lost")
        violations += lost
        lost, total = cut_control(options.control, os.path.join(directory, "control"), shutdown, chance)
        print(f"    control: {options.control} cuts, {total} saves acknowledged before them, {lost} lost")
        summary += f"; the control lost {lost} of {total}"
        if lost == 0:
            fail("the control lost nothing: these cuts show nothing")
            violations += 1
    except Violation as violation:
        fail(violation)
        violations += 1
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    print(f"    seed {options.seed}")
    common.finish("power-cuts", violations, summary)


if __name__ == "__main__":
    main()
