"""What a machine fetches to become a host: a script with this server's address, and a bundle by its hash."""

import hashlib
import json
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import services
from harness import API, Backend, enrolment
from ngxlab.core.config import Settings
from ngxlab.hosts import joining
from serving import serving

CONTENT = b"an agent"
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(scope="module")
def giving(migrated: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """A server that has a bundle to give away."""
    folder = tmp_path_factory.mktemp("bundle")
    (folder / "bundle.tar.gz").write_bytes(CONTENT)
    about = {"sha256": DIGEST, "size_bytes": len(CONTENT), "machine": "x86_64", "python": "3.11"}
    (folder / "bundle.json").write_text(json.dumps(about))
    changes = {"agent_bundle_dir": folder, "public_url": "http://lab.example.org:8400", "port": services.free_port()}
    with serving(migrated.model_copy(update=changes)) as reached:
        yield reached


def test_the_script_is_public_names_the_server_and_the_bundle_and_has_no_secret(giving: Backend) -> None:
    answer = giving.client().get("/agent/join.sh")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "public, max-age=60")
    assert answer.headers["content-type"].startswith("text/x-shellscript")
    assert f"server=http://lab.example.org:8400\nbundle={DIGEST}\n" in answer.text
    assert "@" not in answer.text.replace('"$@"', "")
    secrets = [giving.settings.coordinator_token, giving.settings.redis_url, giving.settings.database_url]
    assert not [secret for secret in secrets if secret.get_secret_value() in answer.text]


def test_the_bundle_is_public_under_its_hash_and_under_no_other(giving: Backend) -> None:
    anyone = giving.client()
    answer = anyone.get(f"/agent/bundles/{DIGEST}.tar.gz")
    assert (answer.content, answer.headers["content-type"]) == (CONTENT, "application/gzip")
    assert "immutable" in answer.headers["cache-control"]
    assert anyone.get(f"/agent/bundles/{'0' * 64}.tar.gz").status_code == 404
    assert anyone.get("/agent/bundles/..%2fbundle.tar.gz").status_code in {404, 422}


def test_a_server_without_a_bundle_says_so(backend: Backend) -> None:
    assert "make setup" in backend.client().get("/agent/join.sh").json()["detail"]
    seen = backend.person().client.get("/hosts/joining").json()
    assert seen["bundle"] is None
    assert len(seen["obstacles"]) == 2  # it listens on loopback, too
    assert backend.settings.public_url in seen["obstacles"][0]


@pytest.mark.parametrize(
    ("public", "broker", "count"),
    [
        ("http://10.0.0.1:8400", "redis://10.0.0.1:6379/0", 0),
        ("http://localhost:8400", "redis://10.0.0.1:6379/0", 1),
        ("http://[::1]:8400", "redis://10.0.0.1:6379/0", 1),
        ("http://10.0.0.1:8400", "redis://127.0.0.1:6379/0", 1),
        ("http://lab.example.org", "rediss://lab.example.org:6380/0", 0),
    ],
)
def test_addresses_that_mean_each_machine_itself_are_obstacles(
    giving: Backend, public: str, broker: str, count: int
) -> None:
    told = {**giving.settings.model_dump(), "DATABASE_URL": "postgresql://a@b/c", "REDIS_URL": "redis://127.0.0.1:1"}
    told |= {"public_url": public, "agent_broker_url": broker}
    told.pop("migration_database_url")
    assert len(joining.joining(Settings(**told)).obstacles) == count


def test_the_line_hands_the_token_to_the_script_past_every_argument_list(giving: Backend, tmp_path: Path) -> None:
    """With a curl that notes its arguments, and a script that says what it was given."""
    made = giving.person().client.post("/hosts/enrolment-tokens", json={}).json()
    (tmp_path / "curl").write_text('#!/bin/sh\necho "$*" >>"$0.seen"\necho \'ngxlab_join() { echo "given $1"; }\'\n')
    (tmp_path / "curl").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    line = made["command"].replace("$(command -v sudo)", "")
    assert line != made["command"]
    done = subprocess.run(["sh", "-c", line], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"given {made['token']}\n"
    assert (tmp_path / "curl.seen").read_text() == f"-fsS http://lab.example.org:8400{API}/agent/join.sh\n"


def test_nothing_reaches_the_shell_where_the_script_cannot_be_fetched(giving: Backend, tmp_path: Path) -> None:
    made = giving.person().client.post("/hosts/enrolment-tokens", json={}).json()
    for name in ("curl", "wget"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 22\n")
        (tmp_path / name).chmod(0o755)
    shown = made["command"].replace("$(command -v sudo) sh", shlex.join(["cat"]))
    done = subprocess.run(
        ["sh", "-c", shown], env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )
    assert done.stdout == ""


def test_a_token_is_looked_at_without_being_used(giving: Backend) -> None:
    token = giving.person().client.post("/hosts/enrolment-tokens", json={}).json()["token"]
    anyone, name = giving.client(), f"new-{uuid4()}"
    for _ in range(2):
        looked = anyone.post("/agent/enrol/check", json={"token": token, "name": name})
        assert looked.json() == {"broker_url": giving.settings.broker_url_for_agents}
        assert "@" not in looked.text
    body = enrolment(token, name)
    assert anyone.post("/agent/enrol", json=body).status_code == 200
    assert anyone.post("/agent/enrol/check", json={"token": token, "name": name}).status_code == 410
    assert anyone.post("/agent/enrol/check", json={"token": "nge_none", "name": name}).status_code == 404
    other = giving.person().client.post("/hosts/enrolment-tokens", json={}).json()["token"]
    taken = anyone.post("/agent/enrol/check", json={"token": other, "name": name})
    assert (taken.status_code, taken.json()["code"]) == (409, "name-taken")
    for looks_alike in (name.upper(), f"{name} ", f" {name}", f"\uff56{name}", f"\u0430{name}"):
        refused = anyone.post("/agent/enrol/check", json={"token": other, "name": looks_alike})
        assert refused.status_code in {409, 422}, looks_alike


def test_a_host_sees_its_own_state_and_may_leave(giving: Backend) -> None:
    agent = giving.agent()
    standing = agent.client.get("/agent/host").json()
    assert (standing["host_id"], standing["state"], standing["bundle"]) == (str(agent.host_id), "idle", DIGEST)
    assert agent.client.delete("/agent/host").status_code == 204
    assert agent.client.get("/agent/host").status_code == 401
    assert str(agent.host_id) not in giving.person().client.get("/hosts").text


def test_a_host_in_a_run_may_not_leave(giving: Backend) -> None:
    person, agent, coordinator = giving.person(), giving.agent(), giving.coordinator()
    run = person.run(agent)
    coordinator.lease(run["id"]).raise_for_status()
    coordinator.next(run["id"])
    refused = agent.client.delete("/agent/host")
    assert (refused.status_code, refused.json()["code"]) == (409, "host-busy")
