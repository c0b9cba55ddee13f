"""The verbs of the driver, and for each what a kill at any moment may leave behind.

Acknowledged means that the driver said `saved` before it died. What is stored afterwards is what was
acknowledged, or that and the one thing that was under way; never less, never half of something.
"""

import contextlib
import os
import re
import shutil
import sqlite3

from common import Stage, check, issued, make_old_stage, make_stage, require, run, serial


class Verb:
    """One verb: `steps` are those of its protocol in which kills are counted."""

    name = ""
    steps = ()
    rounds = 2  # repetitions in one run: a kill in the second meets a save that was acknowledged
    kills_per_vault = 12  # in a row, each on what the one before left
    is_traced = True
    rereads = False  # one bad read is read again before anything is called damaged
    mended_by = None  # what is run after the kills, if not the verb itself

    def make(self, root):
        return make_stage(root)

    def look(self, stage):
        """What is stored there."""
        return check(stage)

    def verify(self, stage, before, runs, after):
        """Raises a Violation unless `after` is what the killed runs may have made of `before`."""
        raise NotImplementedError

    def unchanged(self, before, after, names):
        for name in names:
            require(
                before.accounts[name] == after.accounts.get(name),
                f"{self.name} changed {name}: {before.accounts[name]} -> {after.accounts.get(name)}",
            )


class Refresh(Verb):
    name = "refresh"
    rereads = True
    steps = ("open", "lock", "read", "claim", "send", "install")

    def verify(self, stage, before, runs, after):
        newest = issued(stage)
        unacknowledged = 0
        require(set(before.accounts) == set(after.accounts), "an account came or went")
        for name, account in after.accounts.items():
            saved = [save for ended in runs for save in ended.saved if save[0] == name]
            extra = after.generation(name) - before.generation(name) - len(saved)
            require(extra >= 0, f"{name}: {-extra} acknowledged saves are lost")
            unacknowledged += extra
            stored = serial(account["refreshToken"])
            if extra == 0 and saved:
                require(stored == saved[-1][2], f"{name}: pair {stored}, acknowledged {saved[-1][2]}")
            ahead = newest[name] - stored
            require(ahead >= 0, f"{name}: the server never issued pair {stored}")
            # Nothing is sent without a durable intent, and that one stays until a pair is stored.
            require(ahead == 0 or account["hasIntent"], f"{name}: spent without an intent")
        require(unacknowledged <= len(runs), f"{unacknowledged} saves by {len(runs)} killed runs")


class Library(Refresh):
    """Through VaultKit, whose threads strace would count apart: it kills itself at its fault points."""

    name = "kit"
    steps = ("open", "ask", "claimed", "answered", "installing", "installed", "saved")
    is_traced = False
    # After a kill its next refresh may spend the refresh token again, once, which is what it
    # documents and what a strict server forbids: a person signs in again instead.
    kills_per_vault = 1
    mended_by = "refresh"

    def verify(self, stage, before, runs, after):
        # What it was handed out first was stored before.
        for ended in runs:
            ended.saved = [save for save in ended.saved if save[1] > before.generation(save[0])]
        super().verify(stage, before, runs, after)


class Add(Verb):
    name = "add"
    rereads = True
    steps = ("open", "sign-in", "insert")

    def verify(self, stage, before, runs, after):
        saved = [save for ended in runs for save in ended.saved]
        extra = len(after.accounts) - len(before.accounts) - len(saved)
        require(0 <= extra <= len(runs), f"{len(saved)} accounts acknowledged, {extra} more are there")
        newest = issued(stage)
        for name, generation, number, _ in saved:
            account = after.accounts.get(name)
            require(account is not None, f"{name} was acknowledged and is not there")
            require(account["generation"] == generation, f"{name} is another one")
            require(serial(account["refreshToken"]) == number, f"{name} has another grant")
        for name, account in after.accounts.items():
            require(serial(account["refreshToken"]) == newest[name], f"{name} has a grant of nobody")
        self.unchanged(before, after, before.accounts)


class Switch(Verb):
    name = "switch"
    rereads = True
    steps = ("open", "select")
    rounds = 3

    def verify(self, stage, before, runs, after):
        names = sorted(after.accounts)
        allowed = {before.selected}
        for ended in runs:
            if ended.saved:
                allowed = {ended.saved[-1][0]}
            # Those that were begun and not acknowledged.
            allowed |= {names[(names.index(name) + 1) % len(names)] for name in allowed}
        require(after.selected in allowed, f"{after.selected} is current, not one of {allowed}")
        self.unchanged(before, after, before.accounts)


def epochs(stage):
    """The data key's number that each sealed record of an account names."""
    with contextlib.closing(sqlite3.connect(stage.database)) as database:
        rows = database.execute("SELECT account_box, tokens_box, intent_box FROM account").fetchall()
    return {int.from_bytes(box[:4], "big") for row in rows for box in row if box}


class Keys(Verb):
    """Verbs that seal everything again: whatever the moment, each account reads as before."""

    def verify(self, stage, before, runs, after):
        require(set(before.accounts) == set(after.accounts), "an account came or went")
        self.unchanged(before, after, before.accounts)
        require(before.selected == after.selected, "another account is current")


class Rotate(Keys):
    name = "rotate"
    rereads = True
    steps = ("open", "begin", "reseal", "drop")

    def make(self, root):
        return with_history(super().make(root))

    def verify(self, stage, before, runs, after):
        super().verify(stage, before, runs, after)
        acknowledged = max([save[1] for ended in runs for save in ended.saved], default=0)
        require(min(epochs(stage)) >= acknowledged, f"epochs {epochs(stage)}, acknowledged {acknowledged}")


class Rekey(Keys):
    name = "rekey"
    rereads = True
    steps = ("open", "rekey")

    def make(self, root):
        return with_history(super().make(root))


class Backup(Keys):
    name = "backup"
    rereads = True
    steps = ("open", "backup")

    def make(self, root):
        return with_history(super().make(root))

    def verify(self, stage, before, runs, after):
        super().verify(stage, before, runs, after)
        for number in [save[1] for ended in runs for save in ended.saved]:
            require(os.path.exists(backup(stage, number)), f"backup {number} was acknowledged and is not there")
        newest = max(numbers(stage), default=None)
        if newest is not None:
            require(check_copy(stage, backup(stage, newest)).accounts == after.accounts, "a backup is another vault")


class Restore(Verb):
    name = "restore"
    rereads = True
    steps = ("copy", "restore")
    rounds = 2
    kills_per_vault = 4  # each restore keeps what was there in a backup of its own

    def make(self, root):
        stage = with_history(make_stage(root))
        run(stage.command("backup")).require_success()
        run(stage.command("refresh", 5)).require_success()
        reference = stage.copy(f"{root}-restored")
        run(reference.command("restore")).require_success()
        self.restored = check(reference).accounts
        reference.remove()
        require(any(a["isHeld"] for a in self.restored.values()), "a restore held nothing")
        return stage

    def verify(self, stage, before, runs, after):
        is_new = after.accounts == self.restored
        require(is_new or after.accounts == before.accounts, f"neither old nor new: {after.accounts}")
        require(is_new or not any(ended.saved for ended in runs), "an acknowledged restore is not there")
        require(after.selected == before.selected, "another account is current")


class Migrate(Keys):
    name = "migrate"
    rereads = True
    steps = ("migrate",)
    kills_per_vault = 3

    def make(self, root):
        return make_old_stage(root)

    def look(self, stage):
        """Opening it to look would migrate it, so a copy is opened: killed or not, that one has to
        come to its end. `version` is what the vault itself has come to."""
        copy = stage.copy(f"{stage.root}-look")
        try:
            version = schema_version(copy.database)
            stored = check(copy)
        finally:
            copy.remove()
        stored.version = version
        return stored

    def verify(self, stage, before, runs, after):
        super().verify(stage, before, runs, after)
        require(after.version >= before.version, "it went back to the old schema")
        acknowledged = any(ended.saved for ended in runs)
        require(after.version > 1 or not acknowledged, "an acknowledged migration is not there")
        backups = os.path.join(stage.vault, "backups")
        names = [name for name in listing(backups) if re.fullmatch(r"migration-1-.*\.db", name)]
        require(names or after.version == 1, "migrated without a backup")
        for name in names:
            require(schema_version(os.path.join(backups, name)) == 1, f"{name} is not the old vault")


def schema_version(path):
    """The version in a file, after SQLite has taken back what was half done; the file is intact."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        require(database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], f"{path} is damaged")
        return database.execute("PRAGMA user_version").fetchone()[0]


def listing(directory):
    return os.listdir(directory) if os.path.isdir(directory) else []


def backup(stage, number):
    return os.path.join(stage.work, f"backup-{number}.db")


def numbers(stage):
    names = (re.fullmatch(r"backup-(\d+)\.db", name) for name in os.listdir(stage.work))
    return [int(match.group(1)) for match in names if match]


def check_copy(stage, path):
    """What a backup holds, looked at as a vault."""
    require(os.stat(path).st_mode & 0o777 == 0o600, "others can read a backup")
    other = Stage(f"{stage.root}-copy")
    try:
        os.makedirs(other.vault, mode=0o700)
        shutil.copyfile(path, other.database)
        os.chmod(other.database, 0o600)
        other.work = stage.work
        return check(other)
    finally:
        other.remove()


def with_history(stage):
    """Refreshed a few times, one refresh cut short: every kind of record and a spent token are there."""
    run(stage.command("refresh", 7)).require_success()
    run(stage.command("switch", 2)).require_success()
    # At the server's own sync the intent is stored and the pair is not.
    run(["strace", "-o", "/dev/null", "-e", "inject=fsync:signal=KILL:when=1", *stage.command("refresh")])
    require(any(a["hasIntent"] for a in check(stage).accounts.values()), "no intent was left")
    return stage


ALL = [Refresh(), Library(), Add(), Switch(), Rotate(), Rekey(), Backup(), Restore(), Migrate()]
