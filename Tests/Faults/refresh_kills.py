"""Kills a refresh 10,000 times at each of two servers, most of them between server and vault.

Shows: where a used refresh token is taken once more within 30 seconds, no login is ever lost. At a
strict server a login dies only when the kill fell between the sending of a request that the server
granted and the vault's commit, which no client can survive; no other kill does harm. What may be
lost is shown as unknown at once, before any retry, and what is lost is reported. After each kill the
account is refreshed once, undisturbed, by another process. The time that the window is open is
measured, on a disk.

    refresh_kills.py [--kills N] [--in-window N] [--seconds N] [--measure N] [--rotation R] [--seed N]
"""

import argparse
import collections
import concurrent.futures
import os
import random
import shutil
import tempfile
import time

import common
from common import Stage, Violation, check, fail, require
from server import Program, Server, Vault

ACCOUNT = "work"
DELAY = 0.004  # seconds for which the server keeps its answer after its commit
# How a kill is aimed, and the share of each.
AIMS = (("claimed", 0.45), ("life", 0.2), ("answered", 0.15), ("installing", 0.15), ("installed", 0.05))
SHOWN = 20  # dead logins that `vault status` is asked about too
AT_A_PLACE = ("answered", "installing", "installed")


class Account:
    """One account at one server, in a vault of its own."""

    def __init__(self, root, profile, rotation):
        self.rotation = rotation
        self.stage = Stage(root)
        os.makedirs(self.stage.work, mode=0o700)
        common.run(self.stage.command("init", 0)).require_success()
        self.server = Server(profile)
        self.other = None

    def __enter__(self):
        self.other = Program(self.stage)
        self.sign_in()
        return self

    def __exit__(self, *_):
        if self.other:
            self.other.kill()
        self.server.__exit__()

    def sign_in(self):
        response = self.server.issue(ACCOUNT)
        words = self.other.ask("sign-in", ACCOUNT, self.rotation, self.server.endpoint, response)
        require(words[:1] == ["account"], f"signing in: {words}")

    def generation(self):
        words = self.other.ask("look", ACCOUNT)
        require(words[:1] == ["account"], f"the account does not open: {words}")
        return int(words[2]), words[3]


class Tally:
    def __init__(self, profile):
        self.profile = profile
        self.aims = collections.Counter()
        self.places = collections.Counter()
        self.kills = 0
        self.survived = 0
        self.dead = collections.Counter()
        self.reports = collections.Counter()
        self.violations = 0

    @property
    def in_window(self):
        return self.places["between the commits, answer under way"] + self.places["between the commits, answered"]


def strike(account, aim, chance):
    """One refresh that is killed; the steps it said, and when it was over. None if it was faster."""
    dies = {"FAULT_DIE": f"{aim}:1"} if aim in AT_A_PLACE else {}
    victim = Program(account.stage, **dies)
    try:
        if aim == "life":
            victim.tell("refresh", ACCOUNT)
            time.sleep(chance.uniform(0, 0.04))
        else:
            victim.until("ready")
            victim.tell("refresh", ACCOUNT)
            if aim == "claimed" and victim.until("claimed"):
                time.sleep(chance.uniform(0, DELAY * 2))
        if not dies:
            ended = time.time()
            victim.process.kill()
        rest = victim.result()
        victim.process.wait(timeout=common.LIMIT)
        if dies:
            ended = victim.steps[-1][1]
    finally:
        victim.kill()
    steps = [name for name, _ in victim.steps]
    return None if rest else (steps, ended)


def place(steps, ended, before, grant, is_stored):
    """Where a kill fell, told by what server and vault know."""
    is_granted = grant["refreshes"] > before["refreshes"]
    if is_stored:
        return "after the vault's commit"
    if not is_granted:
        return "before the claim" if "claimed" not in steps else "before the server's commit"
    if ended < grant["committedAt"]:
        return "between sending and the server's commit"
    return "between the commits, answered" if "answered" in steps else "between the commits, answer under way"


def kill_once(account, tally, chance):
    aim = chance.choices([name for name, _ in AIMS], [share for _, share in AIMS])[0]
    before, (generation, _) = account.server.grant(ACCOUNT), account.generation()
    struck = strike(account, aim, chance)
    if struck is None:
        return
    # A request that was sent before the kill may still be on its way.
    account.server.settle()
    grant = account.server.grant(ACCOUNT)
    stored, state = account.generation()
    require(stored - generation in (0, 1), f"generation {generation} -> {stored}")
    where = place(*struck, before, grant, stored > generation)
    tally.kills += 1
    tally.aims[aim] += 1
    tally.places[where] += 1
    is_lost = grant["refreshes"] > before["refreshes"] and stored == generation
    require(not grant["isRevoked"], f"killed {where}: the grant is revoked before any retry")
    require(not is_lost or state == "outcome_unknown", f"killed {where}: {state} is shown, nothing of what is lost")
    words = account.other.ask("token", ACCOUNT)
    is_served = words[:1] == ["served"] and account.server.accepts(words[3])
    require(is_served, f"killed {where}: the token that lives is not served: {words}")
    words = account.other.ask("refresh", ACCOUNT)
    if words[:1] == ["served"] and account.server.accepts(words[3]):
        require(not account.server.grant(ACCOUNT)["isRevoked"], f"killed {where}: served and revoked")
        tally.survived += is_lost
        return
    require(is_lost, f"killed {where}, which loses nothing: {words}")
    require(tally.profile == "strict", f"killed {where}: {words}, which {tally.profile} has to survive")
    bury(account, tally, where, state, words)


def bury(account, tally, where, state, words):
    """A dead login has to be known for one; then somebody signs in again."""
    _, now = account.generation()
    is_said = words[:2] == ["failed", ACCOUNT] and (
        words[2:] == ["sign_in_needed", "rotation_lost"]
        or words[2] == "outcome_unknown"
        or "outcome_unknown" in (state, now)
    )
    require(is_said, f"a login died in silence, killed {where}: {state}, {words}, {now}")
    if sum(tally.dead.values()) < SHOWN:
        shown = Vault(account.stage.work, account.stage.vault).status(ACCOUNT)
        is_shown = shown["state"] in ("sign_in_needed", "outcome_unknown")
        require(is_shown and shown.get("reason") in (None, "rotation_lost"), f"vault status says {shown}")
    tally.dead[where] += 1
    tally.reports[f"{state} before any retry, {now} ({words[3]}) after it"] += 1
    account.sign_in()


def kill_at(profile, directory, goal, deadline):
    tally = Tally(profile)
    chance = random.Random(f"{goal.seed} {profile}")
    rotation = goal.rotation if profile == "strict" else "unknown"
    with Account(os.path.join(directory, profile.split(":")[0]), profile, rotation) as account:
        account.server.stand(delayAfterCommit=DELAY)
        while tally.kills < goal.kills or tally.in_window < goal.in_window:
            if common.is_over(deadline):
                break
            try:
                kill_once(account, tally, chance)
            except Violation as violation:
                tally.violations += 1
                fail(f"{profile}: {violation}")
                account.sign_in()
        account.other.end()
        check(account.stage)
        statistics = account.server.statistics()
        require(profile == "strict" or statistics["reuseDetections"] == 0, f"{profile}: a token was used again")
    return tally


def measure(count, directory):
    """Microseconds of the window, of refreshes that nobody disturbs."""
    with Account(directory, "strict", "unknown") as account:
        words = account.other.ask("measure", ACCOUNT, str(count))
        require(words[:1] == ["measured"], f"measuring: {words}")
        account.other.end()
    return sorted(int(time) for time in words[2].split(","))


def print_window(times):
    def at(share):
        return times[min(len(times) - 1, int(len(times) * share))] / 1000

    print(
        f"    window, on the disk of the build: {len(times)} refreshes, p50 {at(0.5):.2f} ms,"
        f" p99 {at(0.99):.2f} ms, at most {times[-1] / 1000:.2f} ms"
    )
    return at(0.99)


def print_tally(tally, seconds):
    print(f"    server {tally.profile}: {tally.kills} kills in {seconds:.0f} s, {tally.in_window} between the commits")
    for where, count in sorted(tally.places.items()):
        print(f"        {count:6} {where}, {tally.dead[where]} logins dead")
    print(f"        {tally.survived} pairs lost on their way came back by the retry")
    for report, count in sorted(tally.reports.items()):
        print(f"        {count:6} dead logins: {report}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=10_000, help="at each server")
    parser.add_argument("--in-window", type=int, default=3_000, help="of them between the two commits")
    parser.add_argument("--seconds", type=int, default=7200)
    parser.add_argument("--measure", type=int, default=2000)
    parser.add_argument("--rotation", default="unknown", help="what the accounts at the strict server say of it")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    goal = parser.parse_args()
    directory = common.temporary_directory("refresh-kills")
    on_disk = tempfile.mkdtemp(prefix="window-", dir=os.path.join(common.ROOT, ".build"))
    begun = time.monotonic()
    try:
        p99 = print_window(measure(goal.measure, os.path.join(on_disk, "stage")))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            deadline = begun + goal.seconds
            jobs = [pool.submit(kill_at, name, directory, goal, deadline) for name in ("grace-once:30", "strict")]
            tallies = [job.result() for job in jobs]
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(on_disk, ignore_errors=True)
    violations = sum(tally.violations for tally in tallies)
    for tally in tallies:
        print_tally(tally, time.monotonic() - begun)
        if tally.kills < goal.kills or tally.in_window < goal.in_window:
            fail(f"{tally.profile}: only {tally.kills} kills, {tally.in_window} between the commits")
            violations += 1
    grace, strict = tallies
    if not strict.dead:
        fail("no login died at the strict server: whoever sees no loss there sees none anywhere")
        violations += 1
    print(f"    seed {goal.seed}, {time.monotonic() - begun:.0f} s")
    summary = (
        f"{grace.kills} kills with one-use grace, {sum(grace.dead.values())} logins dead; {strict.kills} kills at a"
        f" strict server, {sum(strict.dead.values())} dead, all between sending and commit, all reported;"
        f" window p99 {p99:.1f} ms"
    )
    common.finish("refresh-kills", violations, summary)


if __name__ == "__main__":
    main()
