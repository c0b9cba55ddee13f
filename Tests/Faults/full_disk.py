"""Fills the disk under a vault to the last byte.

Shows: a refresh still saves its pair, a thousand times over; what makes the file longer uses the
reserve or says clearly that there is no room, and then nothing has changed; everything can be read.
A new token that has no room is kept by the agent and said to be unsaved, the old one is served, and
nothing more is sent; once there is room it is saved.

    full_disk.py [--rotations N]
"""

import argparse
import json
import os
import re
import shutil
import time

import common
import disks
from common import Stage, Violation, check, fail, issued, require, serial
from server import Server, Vault

NO_ROOM = re.compile(r"fault-driver: error: (sqlite 13|system 28|store .*(full|noSpace|No space))")


def make(directory, disk, accounts):
    stage = Stage(directory)
    stage.vault = os.path.join(disk.path, "vault")
    os.makedirs(stage.work, mode=0o700)
    os.makedirs(stage.vault, mode=0o700)
    common.run(stage.command("init", accounts)).require_success()
    # The journal has its size from the first refresh on, and is kept.
    common.run(stage.command("refresh", accounts)).require_success()
    return stage


def rotate(stage, count):
    """All of so many refreshes are saved; none is lost between server and vault."""
    before = check(stage)
    ended = common.run(stage.command("refresh", count))
    require(ended.status == 0, f"after {len(ended.saved)} rotations: {ended.err.strip()}")
    after = check(stage)
    newest = issued(stage)
    stored = {name: serial(account["refreshToken"]) for name, account in after.accounts.items()}
    require(stored == newest, f"stored {stored}, issued {newest}")
    grown = sum(after.generation(name) - before.generation(name) for name in after.accounts)
    require(grown == len(ended.saved) == count, f"{grown} stored, {len(ended.saved)} acknowledged")
    return len(ended.saved)


def grow(stage):
    """Accounts are added until there is no room: each is saved, and the one that fails leaves nothing."""
    before = check(stage)
    ended = common.run(stage.command("add", 100_000))
    require(ended.status == 1 and NO_ROOM.search(ended.err), f"exit {ended.status}: {ended.err.strip()}")
    after = check(stage)
    saved = {name for name, *_ in ended.saved}
    require(set(after.accounts) == set(before.accounts) | saved, "not what was acknowledged is there")
    for name, account in before.accounts.items():
        require(after.accounts[name] == account, f"{name} changed")
    return len(saved)


def exhaust(stage, runs=10):
    """With the reserve gone too a refresh may fail, never silently: what was sent is written down."""
    failed = 0
    for _ in range(runs):
        ended = common.run(stage.command("refresh", 50))
        require(ended.status == 0 or NO_ROOM.search(ended.err), f"exit {ended.status}: {ended.err.strip()}")
        failed += ended.status != 0
    newest = issued(stage)
    for name, account in check(stage).accounts.items():
        is_behind = serial(account["refreshToken"]) < newest[name]
        require(not is_behind or account["hasIntent"], f"{name}: spent without an intent")
    return failed


def on_a_full_disk(name, disk, directory, rotations):
    """How many rotations were saved there."""
    stage = make(directory, disk, 3)
    disk.fill()
    free = os.statvfs(disk.path).f_bavail
    require(free == 0, f"{free} blocks are free")
    saved = rotate(stage, rotations)
    added = grow(stage)
    print(f"    {name}: {saved} rotations saved; {added} accounts fitted in, then: no room, nothing changed")
    disk.fill("filler-again")
    print(f"    without the reserve: {exhaust(stage)} of 10 runs had no room and said so, nothing lost")
    return saved


def through_the_agent(disk, directory):
    """The shipping programs: a pair that finds no room when it comes is not lost."""
    home = os.path.join(directory, "home")
    with Server("strict") as server, Vault(home, os.path.join(disk.path, "vault")) as vault, disk.emptied_at_last():
        vault.run("init", "--key-file").require_success()
        for name in ("work", "other"):
            vault.add(name, server)
        vault.run("refresh", "work").require_success()
        old = vault.run("token", "work").out
        long = {"access_token": "a" * 700_000, "refresh_token": "after", "token_type": "Bearer", "expires_in": 3600}
        server.script({"status": 200, "body": json.dumps(long), "delayAfterCommit": 1})
        refresh = vault.start("refresh", "work")
        wait_until(lambda: server.statistics()["tokenRequests"] == 2, "the refresh is not sent")
        disk.fill()
        end = vault.ended(refresh)
        require(end.status == 11 and not end.out, f"refresh on a full disk: exit {end.status}: {end.err.strip()}")
        require(vault.state("work") == "not_saved", f"state {vault.state('work')}")
        token = vault.run("token", "work")
        require(token.status == 0 and token.out == old, f"the old token is not served: {token.err.strip()}")
        other = vault.run("refresh", "other")
        require(other.status == 11, f"another account: exit {other.status}: {other.err.strip()}")
        require(server.statistics()["tokenRequests"] == 2, "something was sent although nothing can be stored")
        disk.empty()
        wait_until(lambda: vault.state("work") == "active", "the pair is not saved although there is room")
        require(vault.run("token", "work").out.strip() == long["access_token"], "another token is stored")
        vault.run("refresh", "other").require_success()
        require(vault.run("token", "other").status == 0, "the other account has no token")


def wait_until(condition, complaint, seconds=40):
    end = time.monotonic() + seconds
    while not condition():
        require(time.monotonic() < end, complaint)
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rotations", type=int, default=1000)
    options = parser.parse_args()
    disks.require_mounts("full-disk")
    directory = common.temporary_directory("full")
    saved = 0
    violations = 0
    try:
        with disks.MemoryDisk(directory, "600k") as disk:
            place = os.path.join(directory, "stage")
            saved = on_a_full_disk("tmpfs of 600 KiB", disk, place, options.rotations)
        with disks.MemoryDisk(directory, "1500k") as disk:
            through_the_agent(disk, directory)
            print("    through the agent: not saved, said so, served the old token, and saved when there was room")
    except Violation as violation:
        fail(violation)
        violations += 1
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    common.finish("full-disk", violations, f"{saved} rotations saved without a free byte")


if __name__ == "__main__":
    main()
