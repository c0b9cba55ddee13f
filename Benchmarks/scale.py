#!/usr/bin/env python3
"""A vault of very many accounts, its agent, and a token endpoint far away: what `make bench-scale` runs.

scale.py AGENT FILLER: ACCOUNTS (1,000,000), RATE (400 a second) and SECONDS (600) from the environment.
Prints what was measured beside its bar, and ends with 1 when one is missed. The endpoint answers on
127.0.0.1 after 300 ms; everything it grants it keeps, so that no refresh token is taken twice and the
tokens in the vault can be held against it after the agent was killed.
"""

import http.client
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ACCOUNTS = int(os.environ.get("ACCOUNTS", 1_000_000))
RATE = float(os.environ.get("RATE", 400))
SECONDS = float(os.environ.get("SECONDS", 600))
IDLE = float(os.environ.get("IDLE", 60))
# Seconds until an agent's backup of the day is there: a minute, and the time it takes.
COPYING = 65 + ACCOUNTS / 20_000
SAMPLES = min(10_000, ACCOUNTS)
TICK = os.sysconf("SC_CLK_TCK")
missed = []


def line(what, value, bar="", holds=True):
    mark = "" if holds else "  MISSED"
    print(f"  {what:<52} {value:>14}  {bar}{mark}", flush=True)
    if not holds:
        missed.append(what)


def processor_seconds(process):
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def resident_megabytes(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        for text in file:
            if text.startswith("VmRSS:"):
                return int(text.split()[1]) / 1000
    return 0.0


class Endpoint:
    """The token endpoint and its ledger."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, str(ACCOUNTS), "300"], stdout=subprocess.PIPE, text=True
        )
        self.port = int(self.process.stdout.readline())

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def end(self):
        self.process.terminate()
        self.process.wait()


class Agent:
    """The agent of the vault; its socket is asked for its metrics."""

    def __init__(self, program, directory):
        self.path = os.path.join(directory, "vault", "agent.sock")
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [program],
            env={"VAULT_HOME": os.path.join(directory, "vault"), "HOME": directory, "PATH": ""},
            stderr=subprocess.DEVNULL,
        )

    def metrics(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
            stream.settimeout(10)
            stream.connect(self.path)
            stream.sendall(b"GET /metrics HTTP/1.1\r\nHost: vault\r\nConnection: close\r\n\r\n")
            answer = b""
            while piece := stream.recv(65536):
                answer += piece
        return answer.decode()

    def wait_for_socket(self):
        while not os.path.exists(self.path):
            if time.monotonic() - self.began > 60 or self.process.poll() is not None:
                sys.exit("bench-scale: the agent does not start")
            time.sleep(0.01)

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait()


def lateness_share(text, bound):
    """The share of refreshes that began at most so many seconds after they were due."""
    within = total = None
    for row in text.splitlines():
        if row.startswith("vault_refresh_lateness_seconds_bucket{le=\"%g\"}" % bound):
            within = float(row.split()[-1])
        if row.startswith("vault_refresh_lateness_seconds_count"):
            total = float(row.split()[-1])
    if within is None or not total:
        sys.exit("bench-scale: the metrics tell no lateness")
    return within / total


def copy_of_the_day(agent, directory):
    """Waits for the backup that an agent makes a minute after its start, once a day."""
    folder = os.path.join(directory, "vault", "backups")
    processor, memory = processor_seconds(agent.process), 0
    while not any(name.startswith("daily-") for name in names_in(folder)):
        memory = max(memory, resident_megabytes(agent.process))
        if time.monotonic() - agent.began > COPYING + 60:
            sys.exit("bench-scale: the backup of the day is not made")
        time.sleep(0.5)
    spent = processor_seconds(agent.process) - processor
    line("the day's backup, copied and verified: processor", f"{spent:.0f} s", "once a day")
    line("  resident memory meanwhile, the most", f"{memory:.0f} MB", "under 100 MB", memory < 100)


def names_in(folder):
    return os.listdir(folder) if os.path.isdir(folder) else []


def idle(agent_program, directory):
    agent = Agent(agent_program, directory)
    agent.wait_for_socket()
    copy_of_the_day(agent, directory)
    time.sleep(3)
    before, began = processor_seconds(agent.process), time.monotonic()
    time.sleep(IDLE)
    share = (processor_seconds(agent.process) - before) / (time.monotonic() - began) * 100
    line(f"processor, idle for {IDLE:.0f} s", f"{share:.2f} %", "under 1 % of a core", share < 1)
    agent.end(signal.SIGTERM)


def load(agent_program, directory, endpoint):
    began = time.monotonic()
    agent = Agent(agent_program, directory)
    while endpoint.get("/stats")["requests"] == 0:
        if time.monotonic() - began > 60:
            sys.exit("bench-scale: nothing is dispatched")
        time.sleep(0.02)
    first = endpoint.get("/stats")["first"] - began
    line("first dispatch after the start", f"{first:.2f} s", "under 2 s", first < 2)
    # What fell due before the start is caught up with first.
    time.sleep(min(30, SECONDS / 4))
    start, counted = time.monotonic(), endpoint.get("/stats")["requests"]
    processor = processor_seconds(agent.process)
    memory = []
    while time.monotonic() - start < SECONDS:
        time.sleep(1)
        memory.append(resident_megabytes(agent.process))
    length = time.monotonic() - start
    rate = (endpoint.get("/stats")["requests"] - counted) / length
    holds = rate >= RATE * 0.98
    line(f"refreshes a second over {length:.0f} s", f"{rate:.0f}", f"{RATE:.0f} fall due", holds)
    share = (processor_seconds(agent.process) - processor) / length * 100
    line("processor, the agent's, under this load", f"{share:.0f} %", "of a core")
    line("resident memory, the most", f"{max(memory):.0f} MB", "under 100 MB", max(memory) < 100)
    quarter = max(1, len(memory) // 4)
    growth = statistics.median(memory[-quarter:]) - statistics.median(memory[:quarter])
    line("its growth, first to last quarter", f"{growth:+.1f} MB", "under 5 MB", growth < 5)
    late = lateness_share(agent.metrics(), 60) * 100
    line("refreshes begun within 60 s of being due", f"{late:.2f} %", "at least 99 %", late >= 99)
    agent.end(signal.SIGKILL)


def compare(filler, directory, endpoint):
    """Holds tokens in the vault against the endpoint's ledger, after the agent was killed."""
    rows = subprocess.run(
        [filler, "sample", directory, str(ACCOUNTS), str(SAMPLES)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\n")
    newest = pending = lost = 0
    for row in filter(None, rows):
        number, generation, was_sent = row.split()
        behind = endpoint.get(f"/accounts/{number}")["generation"] - int(generation)
        if behind == 0:
            newest += 1
        elif behind == 1 and was_sent == "1":
            # Its answer was on the way when the agent was killed; the vault knows that it was sent.
            pending += 1
        else:
            lost += 1
    line(f"after a kill, of {SAMPLES} accounts: newest token", str(newest))
    line("  answer on its way at that moment, and known", str(pending))
    line("  lost", str(lost), "0", lost == 0)
    refused = endpoint.get("/stats")["refused"]
    line("refresh tokens sent twice", str(refused), "0", refused == 0)


def main():
    agent_program, filler, endpoint_program = sys.argv[1:4]
    directory = tempfile.mkdtemp(prefix="vault-scale.")
    endpoint = Endpoint(endpoint_program)
    try:
        print(f"{ACCOUNTS} accounts of three clients, tokens of an hour, an endpoint 300 ms away")
        # Long enough to fill it, to have it backed up and to look at an idle agent.
        delay = ACCOUNTS / 6000 + COPYING + IDLE + 20
        began = time.monotonic()
        subprocess.run(
            [filler, "fill", directory, str(ACCOUNTS), str(endpoint.port), str(RATE), str(delay)],
            check=True,
        )
        took = time.monotonic() - began
        size = os.path.getsize(os.path.join(directory, "vault", "vault.db"))
        line("the vault's size for each account", f"{size / ACCOUNTS:.0f} bytes")
        line("filling it", f"{took:.0f} s")
        due = began + delay
        idle(agent_program, directory)
        if time.monotonic() > due:
            sys.exit("bench-scale: this machine is too slow for the times that were planned")
        time.sleep(max(0, due - time.monotonic()))
        load(agent_program, directory, endpoint)
        compare(filler, directory, endpoint)
    finally:
        endpoint.end()
        shutil.rmtree(directory)
    if missed:
        sys.exit("bench-scale: missed: " + "; ".join(missed))


main()
