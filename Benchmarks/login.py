#!/usr/bin/env python3
"""From `vault login` typed to a token that is usable, at a test server that consents by itself.

    Benchmarks/login.py [N]        30 sign-ins unless told

Measures each sign-in from the start of `vault login` to the end of a `vault token` for the new
account, and beside it what the server alone takes for the same requests (discovery, authorization,
code, asked by the same client over plain sockets). The difference is the vault's, and this script's
part as the browser. The limit is 300 ms.
"""

import http.client
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from urllib.parse import parse_qs, urlencode, urlsplit

LIMIT = 300.0
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.path.join(ROOT, ".build", "bin")


def request(method, url, body=None, headers=None):
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    connection.request(method, target, body, headers or {})
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer.status, answer.getheader("Location"), data


def run(*words, **options):
    return subprocess.run(
        [os.path.join(BIN, words[0]), *words[1:]], check=True, capture_output=True, **options
    )


def sign_in(issuer, environment, number):
    """Milliseconds from typing to a token that can be used."""
    name = f"account-{number}"
    began = time.perf_counter()
    login = subprocess.Popen(
        [os.path.join(BIN, "vault"), "login", name, "--issuer", issuer, "--client-id",
         "test-public", "--scope", "read", "--no-browser"],
        env=environment, stderr=subprocess.PIPE, text=True,
    )
    line = ""
    while not line.startswith("vault: http"):
        line = login.stderr.readline().strip()
        if not line:
            raise SystemExit("vault login gave no address")
    address = line.removeprefix("vault: ")
    _, location, _ = request("GET", address)
    status, _, _ = request("GET", location)
    if login.wait() != 0 or status != 200:
        raise SystemExit(f"the sign-in failed: {status}")
    token = run("vault", "token", name, env=environment).stdout
    if not token.strip():
        raise SystemExit("no token")
    return (time.perf_counter() - began) * 1000


def server_alone(issuer):
    """Milliseconds that the same requests take without a vault."""
    # The pair of RFC 7636, appendix B.
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    redirect = "http://127.0.0.1:1/callback"
    began = time.perf_counter()
    _, _, document = request("GET", issuer + "/.well-known/openid-configuration")
    metadata = json.loads(document)
    query = urlencode({
        "response_type": "code", "client_id": "test-public", "redirect_uri": redirect,
        "scope": "read", "state": "s", "code_challenge": challenge,
        "code_challenge_method": "S256",
    })
    _, location, _ = request("GET", metadata["authorization_endpoint"] + "?" + query)
    code = parse_qs(urlsplit(location).query)["code"][0]
    form = urlencode({
        "grant_type": "authorization_code", "code": code, "redirect_uri": redirect,
        "client_id": "test-public", "code_verifier": verifier,
    })
    status, _, _ = request(
        "POST", metadata["token_endpoint"], form,
        {"Content-Type": "application/x-www-form-urlencoded"},
    )
    if status != 200:
        raise SystemExit(f"the server answered {status}")
    return (time.perf_counter() - began) * 1000


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    folder = tempfile.mkdtemp(prefix="vault-login-")
    environment = {"HOME": folder, "VAULT_HOME": folder + "/vault", "PATH": os.environ["PATH"]}
    server = subprocess.Popen(
        [os.path.join(BIN, "vault-test-server")], stdout=subprocess.PIPE, text=True
    )
    try:
        issuer = json.loads(server.stdout.readline())["issuer"]
        run("vault", "init", "--key-file", env=environment)
        first = sign_in(issuer, environment, 0)
        times = sorted(sign_in(issuer, environment, number) for number in range(1, count + 1))
        alone = statistics.median(server_alone(issuer) for _ in range(count))
    finally:
        subprocess.run([os.path.join(BIN, "vault"), "agent", "stop"], env=environment, check=False)
        server.terminate()
        server.wait()
        shutil.rmtree(folder)
    median, worst = statistics.median(times), times[-1]
    print(f"login: first with the agent's start {first:.0f} ms; then median {median:.0f} ms, "
          f"slowest {worst:.0f} ms; the server alone {alone:.0f} ms; "
          f"beyond it {median - alone:.0f} ms (limit {LIMIT:.0f} ms)")
    return 0 if median - alone < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
