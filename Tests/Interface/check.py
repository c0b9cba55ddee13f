#!/usr/bin/env python3
"""Lets schemathesis loose on the running agent, and reads its streams: no answer but the documented ones.

Runs in the environment that Scripts/test-api makes. The operations are taken from the agent itself.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../Faults"))

import common  # noqa: E402
import jsonschema_rs  # noqa: E402
from bridge import Bridge  # noqa: E402
from common import Violation  # noqa: E402
from server import Server, Vault  # noqa: E402

CHECKS = ",".join(
    (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
        "negative_data_rejection",
        "unsupported_method",
        "allow_header_conformance",
    )
)


def fuzz(base, server, socket, statuses, options):
    environment = os.environ | {
        "SCHEMATHESIS_HOOKS": "hooks",
        "PYTHONPATH": HERE,
        "VAULT_API": base,
        "VAULT_API_SERVER": json.dumps(server.address),
        "VAULT_API_STATUSES": statuses,
        "VAULT_API_SOCKET": socket,
    }
    command = [os.path.join(os.path.dirname(sys.executable), "st"), "run", f"{base}/v1/openapi.json"]
    command += ["--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--exclude-operation-id", "events"]
    command += ["--max-examples", str(options.examples), "--seed", str(options.seed), "--continue-on-failure", "--no-color"]
    command += ["--request-timeout", "30", "--warnings", "off", "--generation-database", "none"]
    with tempfile.TemporaryDirectory() as directory:
        ended = subprocess.run(command, env=environment, cwd=directory, check=False)
    if ended.returncode != 0:
        raise Violation(f"schemathesis ended with {ended.returncode}")


def require_every_operation(document, statuses):
    """Each operation has come to a 2xx, or nothing was shown of it.

    The streams are read apart, and schemathesis leaves out what it has the document from.
    """
    seen = defaultdict(set)
    with open(statuses, encoding="ascii") as lines:
        for line in lines:
            name, _, status = line.split()
            seen[name].add(int(status))
    names = {
        operation["operationId"]
        for path in document["paths"].values()
        for method, operation in path.items()
        if method != "parameters"
    } - {"events", "description"}
    missing = sorted(name for name in names if not any(200 <= status < 300 for status in seen[name]))
    if missing:
        raise Violation("no 2xx but " + ", ".join(f"{sorted(seen[name])} from {name}" for name in missing))
    return sum(1 for _ in open(statuses, encoding="ascii")), len(names)


def read_stream(base, document, vault, server):
    """What the stream says of an account that comes, is renewed and goes; the vault is locked then."""
    event = {**document["components"]["schemas"]["Event"], "components": document["components"]}
    check = jsonschema_rs.validator_for(event)
    lines = []

    def read():
        with urllib.request.urlopen(f"{base}/v1/events", timeout=60) as answer:
            if answer.headers["Content-Type"] != "application/x-ndjson":
                raise Violation("the stream is of another type")
            for line in answer:
                lines.append(json.loads(line))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    while not lines and reader.is_alive():
        # Something happens until the stream tells of it.
        vault.add("passing", server)
        vault.run("remove", "passing").require_success()
    vault.add("heard", server)
    vault.run("refresh", "heard").require_success()
    vault.run("lock").require_success()
    reader.join(timeout=60)
    if reader.is_alive():
        raise Violation("the stream goes on although the vault is locked")
    for line in lines:
        check.validate(line)
    kinds = [line["kind"] for line in lines]
    if kinds[-1] != "closed" or "signed_in" not in kinds or "refreshed" not in kinds:
        raise Violation(f"the stream said {kinds}")
    return len(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=100, help="requests of each kind to an operation")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    home = common.temporary_directory("api")
    directory = os.path.join(home, "vault")
    vault = Vault(home, directory)
    try:
        vault.run("init", "--key-file").require_success()
        with Server("none") as server, vault:
            vault.add("live", server)
            socket = os.path.join(directory, "agent.sock")
            with Bridge(socket, lambda: vault.run("agent", "start")) as bridge:
                base = f"http://127.0.0.1:{bridge.port}"
                with urllib.request.urlopen(f"{base}/v1/openapi.json", timeout=20) as answer:
                    document = json.load(answer)
                statuses = os.path.join(home, "statuses")
                fuzz(base, server, socket, statuses, options)
                requests, operations = require_every_operation(document, statuses)
                lines = read_stream(base, document, vault, server)
        print(f"interface: {requests} requests to {operations} operations and {lines} lines of events as documented")
    except Violation as violation:
        print(f"interface: {violation}", file=sys.stderr)
        sys.exit(1)
    finally:
        common.Stage(home).remove()


if __name__ == "__main__":
    main()
