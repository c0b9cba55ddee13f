"""What schemathesis is told of the agent: names that there are, and what not to wait for.

Loaded by it (SCHEMATHESIS_HOOKS). Only requests that are meant to be right are changed.
"""

import itertools
import json
import os
import threading
import time
import urllib.request
from urllib.parse import parse_qs, urlencode, urlsplit

import schemathesis

BASE = os.environ["VAULT_API"]
SERVER = json.loads(os.environ["VAULT_API_SERVER"])
STATUSES = os.environ["VAULT_API_STATUSES"]
SOCKET = os.environ["VAULT_API_SOCKET"]
LONG = 3600  # seconds after which nobody is here any more
numbers = itertools.count()
lock = threading.Lock()
sign_ins = []
signed = []


def post(path, body):
    request = urllib.request.Request(BASE + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def cancel(sign_in):
    request = urllib.request.Request(f"{BASE}/v1/sign-ins/{sign_in}", method="DELETE")
    urllib.request.urlopen(request, timeout=60).close()


def addition(name):
    tokens = {"access_token": f"at-{name}", "token_type": "Bearer", "expires_in": 7200, "refresh_token": f"rt-{name}"}
    return {
        "name": name,
        "tokenEndpoint": SERVER["tokenEndpoint"],
        "clientID": "spare",
        "clientSecret": "secret",
        "clientAuthentication": "client_secret_post",
        "scope": ["read"],
        "tokenResponse": json.dumps(tokens),
    }


def spare():
    """The name of a new account that nobody else has."""
    name = f"spare-{next(numbers)}-{os.getpid()}"
    post("/v1/accounts", addition(name))
    return name


def sign_in_request():
    return {"name": f"new-{next(numbers)}", "issuer": SERVER["issuer"], "clientID": SERVER["publicClientID"], "scope": []}


def signed_in():
    """The name of an account that came by a sign-in, so that its server publishes its endpoints."""
    with lock:
        if not signed:
            request = sign_in_request()
            sign_in = json.loads(post("/v1/sign-ins", request))
            # The server consents at once, and sends the browser back.
            urllib.request.urlopen(sign_in["authorizationURL"], timeout=60).close()
            signed.append(request["name"])
    return signed[0]


def is_positive(case):
    return case.meta is None or case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers["Connection"] = "close"
    if not is_positive(case):
        return
    name = case.operation.definition.raw["operationId"]
    # Who waits for nothing is told that there is nothing yet, with a 503.
    if "deadline" in case.query:
        case.query["deadline"] = max(float(case.query["deadline"]), 30)
    if "wait" in case.query:
        case.query["wait"] = min(float(case.query["wait"]), 0.05)
    # A server that is not there is told with a 503, too.
    if name == "beginSignIn" and isinstance(case.body, dict):
        if case.body.get("issuer"):
            case.body["issuer"] = SERVER["issuer"]
        case.body.pop("network", None)
        case.body.pop("deviceAuthorizationEndpoint", None)
        case.body.pop("revocationEndpoint", None)
    # They belong to a provider, and any word is none.
    if name == "addAccount" and isinstance(case.body, dict):
        case.body.pop("providerParameters", None)
    # Half of them meet what is there.
    if next(numbers) % 2 and name not in ("unlock", "lock"):
        return
    match name:
        case "showAccount" | "token" | "refresh" | "selectAccount" | "changeTags":
            case.path_parameters["name"] = "live"
        case "setRenewal":
            case.path_parameters["name"] = "live"
        case "compareEndpoints":
            case.path_parameters["name"] = signed_in()
        case "pinEndpoints":
            case.path_parameters["name"] = signed_in()
            case.body = {"endpoints": {}}
        case "removeAccount":
            case.path_parameters["name"] = spare()
        case "renameAccount":
            name = spare()
            case.path_parameters["name"] = name
            case.body = {"name": f"renamed-{name}"}
        case "signOut":
            # Its server is not known to take tokens back.
            case.path_parameters["name"] = spare()
            case.query = {"force": "true"}
        case "addAccount":
            case.body = addition(f"added-{next(numbers)}")
        case "setClientSecret":
            spare()
            case.body = {"clientID": "spare", "clientSecret": "secret", "keepsOld": False}
        case "beginSignIn":
            case.body = sign_in_request()
        case "signIn" | "cancelSignIn":
            if not sign_ins:
                sign_ins.append(json.loads(post("/v1/sign-ins", sign_in_request()))["id"])
            case.path_parameters["id"] = sign_ins[-1]
        case "giveRedirect":
            sign_in = json.loads(post("/v1/sign-ins", sign_in_request()))
            state = parse_qs(urlsplit(sign_in["authorizationURL"]).query)["state"][0]
            query = urlencode({"error": "access_denied", "state": state, "iss": SERVER["issuer"]})
            case.path_parameters["id"] = sign_in["id"]
            case.body = {"redirect": f"{sign_in['redirectURI']}?{query}"}
        case "unlock":
            # A wrong secret is answered later each time.
            case.body = {"lockAfterSeconds": LONG} if case.body else {}
        case "lock":
            if isinstance(case.body, dict) and case.body.get("afterSeconds"):
                case.body = {"afterSeconds": LONG}
    # What there is of it goes where its scope is read.
    if name == "token":
        case.query.pop("scope", None)
        case.query.pop("resource", None)
        case.query.pop("min-valid", None)


@schemathesis.hook
def after_call(context, case, response):
    name = case.operation.definition.raw["operationId"]
    with lock, open(STATUSES, "a", encoding="ascii") as statuses:
        statuses.write(f"{name} {case.method} {response.status_code}\n")
    if name == "lock" and response.status_code == 200:
        post("/v1/unlock", {})
    if name == "stop" and response.status_code == 204:
        # Who asks while it goes is turned away.
        end = time.monotonic() + 60
        while os.path.exists(SOCKET) and time.monotonic() < end:
            time.sleep(0.005)
    if name == "cancelSignIn":
        sign_ins.clear()
    if name == "beginSignIn" and response.status_code == 201:
        # There is room for sixteen at a time.
        cancel(json.loads(response.content)["id"])
