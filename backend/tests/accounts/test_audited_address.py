"""The audit log has the address that a trusted proxy tells, and of nobody else."""

from typing import Any

from harness import Backend, Person


def _enter_from(backend: Backend, person: Person, address: str) -> Any:
    """The newest sign-in of a person who says to come from there."""
    client = backend.client()
    client.headers["X-Forwarded-For"] = address
    client.post("/auth/login", json={"email": person.email, "password": person.password}).raise_for_status()
    query = {"actor": person.email, "act": "signed-in", "limit": "1"}
    [entry] = backend.person().client.get("/audit", params=query).raise_for_status().json()["items"]
    return entry["address"]


def test_a_trusted_proxy_is_believed(proxied: Backend) -> None:
    assert _enter_from(proxied, proxied.person(), "192.0.2.77") == "192.0.2.77"


def test_nobody_else_is(backend: Backend) -> None:
    assert _enter_from(backend, backend.person(), "192.0.2.77") == "127.0.0.1"
