"""No operation changes something unnoticed: each is entered in the audit log, or says why it is not."""

from typing import Any

import pytest
from audit.audited_operations import AUDITED
from audit.unaudited_operations import NOT_AUDITED
from audit.world import World
from harness import Backend
from ngxlab.core.config import Settings
from ngxlab.main import create_app


@pytest.fixture(scope="module")
def world(backend: Backend) -> World:
    return World(backend, backend.person(), backend.agent(), backend.coordinator())


def _newest_id(world: World) -> int:
    items = world.client.get("/audit", params={"limit": 1}).raise_for_status().json()["items"]
    return int(items[0]["id"]) if items else 0


def _since(world: World, entry_id: int) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = world.client.get("/audit", params={"limit": 200}).raise_for_status().json()["items"]
    return [item for item in items if item["id"] > entry_id]


def test_every_operation_is_declared(settings: Settings) -> None:
    document = create_app(settings).openapi()
    changing = {
        operation["operationId"]
        for path in document["paths"].values()
        for method, operation in path.items()
        if method != "get"
    }
    assert changing == AUDITED.keys() | NOT_AUDITED.keys()
    assert not AUDITED.keys() & NOT_AUDITED.keys()


@pytest.mark.parametrize("operation", AUDITED)
def test_it_is_entered_with_who_did_it_and_from_where(world: World, operation: str) -> None:
    before = _newest_id(world)
    AUDITED[operation].call(world)
    entry = next(item for item in _since(world, before) if item["act"] == AUDITED[operation].act)
    assert entry["address"] == "127.0.0.1"
    assert len(entry["request_id"]) == 32
    by_host = operation in {"enrol", "heartbeat", "leave"}
    assert entry["actor_kind"] == ("host" if by_host else "person")
    if not by_host:
        assert entry["actor_name"] == world.person.email
    if operation not in {"login", "logout", "create_enrolment_token"}:
        assert entry["object_kind"] is not None
        assert entry["object_name"]


def test_a_run_is_entered_with_its_hosts(world: World) -> None:
    before = _newest_id(world)
    run_id = world.run()
    entry = next(item for item in _since(world, before) if item["act"] == "run-started")
    assert entry["object_id"] == run_id
    assert entry["detail"]["hosts"] == [world.agent.name]


def test_no_secret_and_no_fragment_reaches_the_log(world: World, backend: Backend) -> None:
    before = _newest_id(world)
    token = world.post("/auth/tokens", name="kept", scope="read")["token"]
    share = world.share()["url"].rpartition("/")[2]
    invitation = world.post("/hosts/enrolment-tokens")["token"]
    made = world.person.experiment()
    definition = made["definition"]
    definition["nginx"]["server"] += "\n# a private remark\n"
    body = {"definition": definition, "base_version": 1}
    world.client.put(f"/experiments/{made['id']}/definition", json=body).raise_for_status()
    backend.client().post("/auth/login", json={"email": "hunter2-as-email@example.org", "password": "hunter2"})
    channel = world.post("/notifications/channels", kind="webhook", url="https://hooks.example.org/T0/hidden-path")
    world.delete(f"/notifications/channels/{channel['id']}")
    text = str(_since(world, before))
    assert "hooks.example.org" in text
    secrets = (token, share, invitation, world.person.password, channel["secret"])
    for secret in (*secrets, "hidden-path", "private remark", "hunter2"):
        assert secret not in text
    assert "experiment-changed" in text
