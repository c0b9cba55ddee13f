"""Changes single bits of a vault, and swaps, deletes and inserts rows, as bad memory or an enemy would.

Shows: whatever is changed, no wrong value is ever handed out; a change in a record is found by
opening every record; the accounts that were not touched go on, or the file is refused as a whole.

    bit_flips.py [--flips N] [--seed N]
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import sqlite3
import threading

import common
import verbs
from common import Stored, Violation, check, fail, require, run

REFUSED = re.compile(r"fault-driver: error: (store|sqlite|key|sealing)\b")
NUMBERS = ("number", "revision", "generation", "expires_at", "due_at", "failure_count")
PAGE = 4096


def made(root):
    """Accounts with every kind of record."""
    return verbs.with_history(common.make_stage(root, 6))


# Where the bytes are


def rows(database, table, columns):
    """The rows of a table, each value as the bytes that the file has for it."""
    for row in database.execute(f"SELECT {', '.join(columns)} FROM {table}"):
        yield [value.encode() if isinstance(value, str) else bytes(value or b"") for value in row]


def places(data, row, anchor):
    """The offsets of the bytes of a row's values, found from the one that is like no other.

    The others stand before and after it in the order of the columns: what is short or all zeros
    would be found anywhere, and what has an index would be found there.
    """
    start = data.find(row[anchor])
    require(start >= 0, "a record is not in one piece")
    found = [range(start, start + len(row[anchor]))]
    at = start
    for value in reversed(row[:anchor]):
        if value and (hit := data.rfind(value, max(0, at - 2000), at)) >= 0:
            found.insert(0, range(hit, hit + len(value)))
            at = hit
    at = found[-1].stop
    for value in row[anchor + 1 :]:
        if value and (hit := data.find(value, at, at + 2000)) >= 0:
            found.append(range(hit, hit + len(value)))
            at = found[-1].stop
    return found


def sort_out(data, database, found):
    """Puts the bytes of every row into `found` by what they are."""
    columns = ("account_id", "name", "account_box", "tokens_box", "intent_box", "refresh_token_hash", "state")
    for row in rows(database, "account", columns):
        for place in places(data, row, 2):
            is_record = data[place.start : place.stop] in row[2:5]
            found["records" if is_record else "clear columns"].extend(place)
    columns = ("vault_id", "incarnation", "root_check", "keyring_box", "selected_account", "selected_hash")
    for row in rows(database, "vault", columns):
        for place in places(data, row, 3):
            is_key = data[place.start : place.stop] in (row[0], row[2], row[3])
            # What everything else is sealed under counts as key material.
            found["slots" if is_key else "clear columns"].extend(place)
    for row in rows(database, "key_slot", ("salt", "commitment", "root_key_box", "key_file")):
        for place in places(data, row, 1):
            found["slots"].extend(place)


def regions(stage):
    """For each kind of place the offsets of its bytes."""
    with open(stage.database, "rb") as file:
        data = file.read()
    found = {"records": [], "slots": [], "clear columns": []}
    database = sqlite3.connect(stage.database)
    try:
        sort_out(data, database, found)
    finally:
        database.close()
    taken = set().union(*found.values())
    pages = [offset for offset in range(len(data)) if offset not in taken and data[offset] != 0]
    # The heads of all pages too, zero or not: they say how the rest is read.
    pages += [start + n for start in range(0, len(data), PAGE) for n in range(12)]
    return data, found | {"tree pages": pages}


def change_number(stage, column, bit):
    database = sqlite3.connect(stage.database)
    try:
        database.execute("PRAGMA ignore_check_constraints = ON")
        database.execute(f"UPDATE account SET {column} = ({column} | {1 << bit}) - ({column} & {1 << bit}) WHERE name = 'a2'")
        database.commit()
    finally:
        database.close()


# What may come of it


def handed_out(stage):
    """What a program gets to see: the report of the check, or None where it refuses the file."""
    ended = run(stage.command("check"), limit=10)
    if ended.status == 0:
        return Stored(json.loads(ended.out.splitlines()[-1]))
    require(ended.status == 1, f"it crashed: exit {ended.status}: {ended.err.strip()[-300:]}")
    require(REFUSED.search(ended.err), f"no clear error: {ended.err.strip()[-300:]}")
    return None


def judge(kind, truth, seen):
    """No wrong value, and no value missing without a word."""
    if seen is None:
        require(kind not in ("records", "clear columns"), "what one account has closes the whole vault")
        return "refused"
    for name, account in seen.accounts.items():
        require(name in truth.accounts, f"an account of nobody: {name}")
        wrong = [key for key in account if key != "state" and account[key] != truth.accounts[name][key]]
        require(not wrong, f"{name}: wrong {wrong}")
    missing = set(truth.accounts) - set(seen.accounts)
    require(seen.faults or not missing, f"missing without a word: {missing}")
    require(seen.faults or seen.selected == truth.selected, "another account is current")
    if kind in ("records", "clear columns"):
        require(len(missing) <= 1, f"more than one account is gone: {missing}")
    return "found" if seen.faults else "harmless"


class Flips:
    """Flips bits of one vault, each in a copy of its own."""

    def __init__(self, stage, directory, kind):
        self.truth = check(stage)
        self.stage = stage
        self.directory = directory
        self.kind = kind
        self.data, all_regions = regions(stage)
        self.offsets = all_regions[kind]
        if kind == "clear columns":
            # Numbers are too short to be found in the file: half of the flips go through SQL.
            self.offsets = self.offsets + [*NUMBERS] * (len(self.offsets) // len(NUMBERS))
        self.outcomes = {}
        self.violations = []
        self.lock = threading.Lock()

    def flip(self, offset, bit):
        if common.STOPPING.is_set():
            return
        copy = self.stage.copy(os.path.join(self.directory, f"flip-{threading.get_ident()}"))
        try:
            self.change(copy, offset, bit)
            outcome = judge(self.kind, self.truth, handed_out(copy))
            if self.kind == "records":
                require(outcome == "found", "nothing found a changed record")
            self.count(outcome)
        except Violation as violation:
            with self.lock:
                self.violations.append(f"{self.kind}, byte {offset}, bit {bit}: {violation}")
        finally:
            copy.remove()

    def change(self, copy, offset, bit):
        if isinstance(offset, str):
            return change_number(copy, offset, bit)
        with open(copy.database, "r+b") as file:
            file.seek(offset)
            file.write(bytes([self.data[offset] ^ 1 << bit]))

    def count(self, outcome):
        with self.lock:
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1

    def run(self, count, chance):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for _ in range(count):
                pool.submit(self.flip, chance.choice(self.offsets), chance.randrange(8))
        words = ", ".join(f"{outcome} {count}" for outcome, count in sorted(self.outcomes.items()))
        print(f"    {self.kind:14} {count} flips over {len(self.offsets)} bytes: {words}")
        for violation in self.violations:
            fail(violation)
        return len(self.violations)


# Rows


ROWS = {
    "swapped records": """
        CREATE TEMP TABLE other AS SELECT * FROM account WHERE name IN ('a1', 'a2');
        UPDATE account SET tokens_box = (SELECT tokens_box FROM other WHERE name = 'a2') WHERE name = 'a1';
        UPDATE account SET tokens_box = (SELECT tokens_box FROM other WHERE name = 'a1') WHERE name = 'a2'""",
    "swapped names": """
        UPDATE account SET name = 'x' WHERE name = 'a1';
        UPDATE account SET name = 'a1' WHERE name = 'a2';
        UPDATE account SET name = 'a2' WHERE name = 'x'""",
    "swapped identifiers": """
        UPDATE account SET account_id = zeroblob(16) WHERE name = 'a1';
        CREATE TEMP TABLE other AS SELECT * FROM account WHERE name = 'a2';
        UPDATE account SET account_id = randomblob(16) WHERE name = 'a2';
        UPDATE account SET account_id = (SELECT account_id FROM other) WHERE name = 'a1'""",
    "an inserted copy": """
        CREATE TEMP TABLE other AS SELECT * FROM account WHERE name = 'a1';
        UPDATE other SET number = 99, name = 'copy', account_id = randomblob(16);
        INSERT INTO account SELECT * FROM other""",
    "an inserted row": """
        INSERT INTO account (account_id, name, revision, account_box, generation, tokens_box, state)
        VALUES (randomblob(16), 'forged', 1, randomblob(556), 1, randomblob(556), 'active')""",
    "another current account": """
        UPDATE vault SET selected_account = (SELECT account_id FROM account WHERE name = 'a5')""",
}


def change_rows(stage, directory):
    """Each change of whole rows is found, and who was not touched goes on."""
    truth = check(stage)
    violations = 0
    for name, script in ROWS.items():
        copy = stage.copy(os.path.join(directory, "rows"))
        try:
            database = sqlite3.connect(copy.database)
            database.executescript(script)
            database.close()
            seen = handed_out(copy)
            require(name == "another current account" or seen is not None, "the whole file is refused")
            if seen is not None:
                judge("rows", truth, seen)
                require(seen.faults, "nothing found it")
                untouched = set(truth.accounts) - {"a1", "a2"}
                require(untouched <= set(seen.accounts), "accounts that nobody touched are gone")
        except Violation as violation:
            fail(f"{name}: {violation}")
            violations += 1
        finally:
            copy.remove()
    violations += delete_a_row(stage, directory, truth)
    print(f"    rows           {len(ROWS) + 1} changes: swapped, inserted, deleted, put in another's place")
    return violations


def delete_a_row(stage, directory, truth):
    """Whoever can write the file can take a whole row away: the others must not notice."""
    copy = stage.copy(os.path.join(directory, "rows"))
    try:
        database = sqlite3.connect(copy.database)
        database.execute("DELETE FROM account WHERE name = 'a1'")
        database.commit()
        database.close()
        seen = handed_out(copy)
        others = {name: account for name, account in truth.accounts.items() if name != "a1"}
        require(seen is not None and seen.accounts == others, "a deleted row touched the others")
        return 0
    except Violation as violation:
        fail(f"a deleted row: {violation}")
        return 1
    finally:
        copy.remove()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--flips", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    chance = random.Random(options.seed)
    directory = common.temporary_directory("flips")
    violations = 0
    try:
        stage = made(os.path.join(directory, "stage"))
        for kind in ("records", "slots", "clear columns", "tree pages"):
            violations += Flips(stage, directory, kind).run(options.flips, chance)
        violations += change_rows(stage, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    print(f"    seed {options.seed}")
    common.finish("bit-flips", violations, f"{options.flips} flips in each of 4 kinds of place, and rows moved")


if __name__ == "__main__":
    main()
