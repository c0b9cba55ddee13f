"""What every part of the harness needs: a vault to spoil, the driver, and what must be true after it.

Everything is made in a directory of its own and removed; only processes started here are ended.
"""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVER = os.environ.get("FAULT_DRIVER", os.path.join(ROOT, ".build/tests/fault-driver"))
FIXTURES = os.path.join(ROOT, "Tests/VaultStoreTests/Fixtures")
LIMIT = 30  # seconds that one run of the driver may take


def stop(*_):
    """On SIGTERM too everything that was made is undone: this runs the `finally` of whoever is at work."""
    STOPPING.set()
    sys.exit(143)


STOPPING = threading.Event()
signal.signal(signal.SIGTERM, stop)


def is_over(deadline):
    return STOPPING.is_set() or time.monotonic() >= deadline


class Violation(Exception):
    """Something that must never be was seen."""


class Stage:
    """A vault (`vault`) and what is beside it (`work`): key file, the server's ledger, backups."""

    def __init__(self, root):
        self.root = root
        self.vault = os.path.join(root, "vault")
        self.work = os.path.join(root, "work")

    @property
    def database(self):
        return os.path.join(self.vault, "vault.db")

    @property
    def ledger(self):
        return os.path.join(self.work, "ledger")

    def command(self, verb, count=1):
        return [DRIVER, verb, self.vault, self.work, str(count)]

    def copy(self, root):
        """The same again in another place."""
        shutil.copytree(self.root, root, symlinks=True)
        return Stage(root)

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)


def memory_directory():
    """Where files cost nothing; a kill loses nothing that was written, whatever the file system."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()


def temporary_directory(prefix):
    return tempfile.mkdtemp(prefix=f"vault-{prefix}-", dir=memory_directory())


def make_stage(root, accounts=3):
    stage = Stage(root)
    os.makedirs(stage.work, mode=0o700, exist_ok=True)
    run(stage.command("init", accounts)).require_success()
    return stage


def make_old_stage(root):
    """A vault of schema version 1, as the program of that time made it."""
    stage = Stage(root)
    os.makedirs(stage.work, mode=0o700)
    os.makedirs(stage.vault, mode=0o700)
    for name, path in (("schema-0001.db", stage.database), ("schema-0001.key", f"{stage.work}/vault.key")):
        shutil.copyfile(os.path.join(FIXTURES, name), path)
        os.chmod(path, 0o600)
    return stage


def make_downgraded_stage(root, accounts):
    """A vault of schema version 1 whose tokens the driver's server knows: a new one taken back."""
    stage = make_stage(root, accounts)
    old = sqlite3.connect(os.path.join(FIXTURES, "schema-0001.db"))
    new = sqlite3.connect(stage.database, isolation_level=None)
    try:
        for index in (
            "account_client",
            "account_state_change",
            "account_standing",
            "account_client_due",
            "account_unknown_due",
            "account_grant_end",
        ):
            new.execute(f"DROP INDEX {index}")
        for table in ("client", "account_tag", "activity"):
            new.execute(f"DROP TABLE {table}")
        for table, column in (
            ("account", "client_hash"),
            ("account", "state_since"),
            ("account", "state_change"),
            ("account", "grant_ends_at"),
            ("account", "grant_end_told"),
            ("vault", "state_changes"),
            ("vault", "clock_boot"),
            ("vault", "clock_wall"),
            ("vault", "clock_uptime"),
            ("key_slot", "changed_at"),
        ):
            new.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        new.execute("DELETE FROM schema_migration WHERE version > 1")
        new.execute("PRAGMA writable_schema = ON")
        for name, sql in old.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"):
            new.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, name))
        new.execute("PRAGMA user_version = 1")
    finally:
        old.close()
        new.close()
    return stage


# What a program said


class Ended:
    """How a run of the driver ended, and the lines it had written by then."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err
        self.saved = []
        self.step = "start"
        for line in out.splitlines():
            words = line.split()
            if words[:1] == ["step"]:
                self.step = words[1]
            elif words[:1] == ["saved"]:
                self.saved.append((words[1], int(words[2]), int(words[3]), int(words[4])))

    def require_success(self):
        if self.status != 0:
            raise Violation(f"exit {self.status}: {self.err.strip()[-400:]}")
        return self


def run(command, limit=LIMIT, **options):
    process = start(command, **options)
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Violation(f"did not end within {limit} s: {command}") from None
    return Ended(process.returncode, out, err)


def start(command, **options):
    options.setdefault("text", True)
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )


# What is stored


class Stored:
    """What the vault holds, by account."""

    def __init__(self, report):
        self.selected = report.get("selected")
        self.accounts = {account["name"]: account for account in report["accounts"]}
        self.faults = report["faults"]

    def generation(self, name):
        return self.accounts[name]["generation"] if name in self.accounts else 0


def check(stage):
    """Opens the vault and every record; both halves of a pair have to be of one refresh."""
    ended = run(stage.command("check"))
    if ended.status != 0:
        raise Violation(f"the vault does not open: exit {ended.status}: {ended.err.strip()}")
    stored = Stored(json.loads(ended.out.splitlines()[-1]))
    if stored.faults:
        raise Violation(f"the check found: {stored.faults}")
    for account in stored.accounts.values():
        halves = serial(account["refreshToken"]), serial(account["accessToken"])
        if halves[0] != halves[1]:
            raise Violation(f"half a pair in {account['name']}: {halves}")
    return stored


def serial(token):
    """The number that the driver's server puts at the end of a token; None for another's."""
    match = re.fullmatch(r"(?:access|refresh)-\w+-(\d+)", token or "")
    return int(match.group(1)) if match else None


def issued(stage):
    """The newest pair of each account as the server knows it; spending one twice is a violation."""
    newest = {}
    if not os.path.exists(stage.ledger):
        return newest
    with open(stage.ledger, encoding="ascii") as ledger:
        for line in ledger:
            words = line.split()
            if words[0] == "reuse":
                raise Violation(f"a refresh token was spent twice: {line.strip()}")
            newest[words[1]] = int(words[-1])
    return newest


def require(condition, words):
    if not condition:
        raise Violation(words)


def fail(words):
    print(f"    VIOLATION {words}", flush=True)


def finish(name, violations, summary):
    """The last line of a part, and its exit status."""
    word = f"FAILED, {violations} violations" if violations else "ok"
    print(f"{name}: {word}: {summary}", flush=True)
    sys.exit(1 if violations else 0)
