"""``ngxlab-server``: accounts and tokens made on the server's own machine."""

import json
import os
import subprocess
import sys
from uuid import uuid4

from harness import COORDINATOR_TOKEN, Backend
from serving import own_database, serving


def _server(backend: Backend, *words: str, **changes: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {
        "DATABASE_URL": backend.settings.database_url.get_secret_value(),
        "REDIS_URL": backend.settings.redis_url.get_secret_value(),
        "NGXLAB_COORDINATOR_TOKEN": COORDINATOR_TOKEN,
    }
    command = [sys.executable, "-m", "ngxlab.cli", *words]
    return subprocess.run(command, env=environment | changes, capture_output=True, text=True, check=False, timeout=60)


def test_an_operator_makes_an_administrator_and_a_token(backend: Backend) -> None:
    email = f"root-{uuid4().hex[:8]}@localhost"
    made = _server(backend, "create-admin", "--email", email)
    body = {"email": email, "password": made.stdout.strip()}
    entered = backend.client().post("/auth/login", json=body).json()["account"]
    assert (entered["role"], entered["must_change_password"]) == ("administrator", True)
    person = backend.person()
    token = _server(backend, "api-token", "--email", person.email, "--name", "ci", "--scope", "operate").stdout.strip()
    assert backend.client(token).get("/auth/me").json()["token"]["scope"] == "operate"


def test_an_empty_installation_begins_with_an_administrator_and_a_token_once(postgresql_url: str) -> None:
    with own_database(postgresql_url) as settings, serving(settings, alone=True) as backend:
        words = ("begin", "--email", "first@localhost", "--name", "stack", "--scope", "administer")
        made = json.loads(_server(backend, *words).stdout)
        body = {"email": "first@localhost", "password": made["password"]}
        entered = backend.client().post("/auth/login", json=body).json()["account"]
        assert (entered["role"], entered["must_change_password"]) == ("administrator", False)
        told = backend.client(made["token"])
        token = told.get("/auth/me").json()["token"]
        assert (token["name"], token["scope"]) == ("stack", "administer")
        acts = [one["act"] for one in told.get("/audit").json()["items"]]
        assert acts == ["signed-in", "token-created", "account-created"]
        again = _server(backend, *words)
        assert (again.returncode, again.stdout) == (0, "")


def test_an_operator_removes_the_passkeys_of_the_last_administrator(backend: Backend) -> None:
    person = backend.person()
    backend.lost_passkey(person)
    credentials = {"email": person.email, "password": person.password}
    assert backend.client().post("/auth/login", json=credentials).json()["code"] == "passkey-required"
    removed = _server(backend, "remove-passkeys", "--email", person.email)
    assert removed.stdout == f"Passkeys removed: 1. {person.email} signs in with the password alone.\n"
    assert backend.client().post("/auth/login", json=credentials).status_code == 200
    entries = person.client.get("/audit", params={"act": "passkey-removed", "object": person.email}).json()["items"]
    assert [(one["actor_name"], one["detail"]["name"]) for one in entries] == [("operator of the server", "Lost")]


def test_an_operators_mistake_is_one_sentence(backend: Backend) -> None:
    email = backend.person().email
    for words, reason in [
        (["create-admin", "--email", "<script>@x"], "email: Value error, This is no e-mail address."),
        (["create-admin", "--email", email], f"{email} already has an account."),
        (["remove-passkeys", "--email", "nobody@localhost"], "There is no account nobody@localhost."),
        (["api-token", "--email", email, "--name", "ci", "--days", "400"], "expires_in_days: Input should be"),
    ]:
        refused = _server(backend, *words)
        assert refused.returncode == 1
        assert refused.stderr.startswith(reason)
        assert "Traceback" not in refused.stderr
    proxy = _server(backend, "serve", NGXLAB_TRUSTED_PROXIES="proxy.example")
    assert (proxy.returncode, "trusted_proxies" in proxy.stderr) == (1, True)
    assert COORDINATOR_TOKEN not in proxy.stderr
