"""Agents and servers of different versions: unknown fields are ignored, unknown meanings are refused by name."""

from datetime import timedelta
from typing import Annotated, Any

import httpx2
import pytest
from harness import T0_US, Agent, Backend, english, enrolment, inventory
from ngxlab.core.clock import utcnow
from ngxlab.hosts.models import Host
from ngxlab.runs.models import TrialHost
from ngxlab_contracts.base import Message
from ngxlab_contracts.protocol import CURRENT, FIRST, Protocol, needed, since, wire_form
from pydantic import Field
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

NEWER = f"{CURRENT.major}.{CURRENT.minor + 1}"
NEXT_MAJOR = f"{CURRENT.major + 1}.0"
BEFORE = "1.6"
"""The last version of the major one before."""


class _Inner(Message):
    kind: str = "plain"
    shade: Annotated[str, Field(json_schema_extra=since(3))] = "none"


class _Outer(Message):
    count: int
    inner: list[_Inner] = Field(default_factory=list)
    speed: Annotated[float | None, Field(json_schema_extra=since(2))] = None


def test_a_message_needs_the_version_of_what_it_says_and_leaves_out_what_it_does_not_say() -> None:
    plain = _Outer(count=1, inner=[_Inner()])
    assert (needed(plain), wire_form(plain)) == (FIRST, {"count": 1, "inner": [{"kind": "plain"}]})
    fast = _Outer(count=1, speed=2.0)
    assert (needed(fast), wire_form(fast)) == (Protocol(CURRENT.major, 2), {"count": 1, "inner": [], "speed": 2.0})
    assert needed(_Outer(count=1, inner=[_Inner(), _Inner(shade="dark")])) == Protocol(CURRENT.major, 3)


def _identity(protocol: str) -> dict[str, str]:
    return {"protocol": protocol, "version": "0.9.9", "hostname": "den", "machine": "m", "boot_id": "b"}


def _beat(agent: Agent, protocol: str, **more: Any) -> httpx2.Response:
    body = {
        "agent_instance": str(agent.instance),
        "sent_at_us": T0_US,
        "clock_offset_us": 0,
        "clock_rtt_us": 200,
        "active_trial": None,
        "agent": _identity(protocol),
        **more,
    }
    return agent.client.post("/agent/heartbeat", json=body)


def _host(backend: Backend, agent: Agent) -> dict[str, Any]:
    found: dict[str, Any] = backend.person().client.get(f"/hosts/{agent.host_id}").json()
    return found


def test_what_a_newer_agent_says_beyond_this_version_is_ignored(backend: Backend) -> None:
    agent = backend.agent()
    newer = {**inventory().model_dump(mode="json"), "phase_of_moon": "full"}
    assert _beat(agent, str(CURRENT), mood="good", inventory=newer).status_code == 200
    assert _host(backend, agent)["state"] == "idle"
    trial_id = backend.coordinator().begin(backend.person().run(agent)["id"])
    claim = {"agent_instance": str(agent.instance), "protocol": str(CURRENT), "hurry": True}
    assert agent.client.post(f"/agent/trials/{trial_id}/claim", json=claim).status_code == 200
    event = {"kind": "phase", "t_us": T0_US, "phase": "preparing", "x": 1}
    batch = {"seq": 1, "clock_offset_us": 0, "events": [event], "y": 2}
    assert agent.client.post(f"/agent/trials/{trial_id}/batches", json=batch).status_code == 200


@pytest.mark.parametrize("protocol", [NEWER, NEXT_MAJOR])
@pytest.mark.parametrize("readable", [True, False])
def test_an_agent_beyond_this_server_is_told_apart_from_one_that_is_away(
    backend: Backend, protocol: str, readable: bool
) -> None:
    agent, person = backend.agent(), backend.person()
    experiment = person.experiment()
    assert _beat(agent, protocol, **({} if readable else {"clock_rtt_us": {"p50": 3}})).status_code == 200
    host = _host(backend, agent)
    assert host["state"] == "upgrade"
    assert "needs an upgrade of the server: its agent is version 0.9.9" in host["state_detail"]
    refused = person.client.post(f"/experiments/{experiment['id']}/runs", json={"host_id": str(agent.host_id)})
    assert (refused.status_code, refused.json()["code"]) == (409, "protocol-skew")
    assert f"(protocol {protocol})" in refused.json()["detail"]
    assert f"(protocol {CURRENT})" in refused.json()["detail"]


def test_a_heartbeat_of_this_version_that_is_wrong_is_refused_with_its_field(backend: Backend) -> None:
    answer = _beat(backend.agent(), str(CURRENT), clock_rtt_us={"p50": 3})
    assert answer.status_code == 422
    assert "clock_rtt_us" in answer.json()["errors"][0]["field"]


@pytest.mark.parametrize("protocol", [BEFORE, NEXT_MAJOR])
def test_an_agent_of_another_major_version_cannot_join(backend: Backend, protocol: str) -> None:
    made = backend.person().client.post("/hosts/enrolment-tokens", json={}).json()
    body = {**enrolment(made["token"], f"far-{protocol}"), "agent": _identity(protocol)}
    answer = backend.client().post("/agent/enrol", json=body)
    assert (answer.status_code, answer.json()["code"]) == (409, "protocol-skew")


@pytest.fixture
def demanding(monkeypatch: pytest.MonkeyPatch) -> str:
    return _demand_more(monkeypatch)


def _demand_more(monkeypatch: pytest.MonkeyPatch) -> str:
    """From now on the server speaks the next minor version, and every trial needs it."""
    newer = Protocol(CURRENT.major, CURRENT.minor + 1)
    for module in ("ngxlab.hosts.availability", "ngxlab.runs.dispatch"):
        monkeypatch.setattr(f"{module}.CURRENT", newer)
    monkeypatch.setattr("ngxlab.runs.dispatch.needed", lambda _: newer)
    return str(newer)


def test_a_run_that_needs_more_than_an_older_agent_knows_is_refused_before_it_starts(
    backend: Backend, demanding: str
) -> None:
    agent, person = backend.agent(), backend.person()
    start = f"/experiments/{person.experiment()['id']}/runs"
    _beat(agent, str(CURRENT))
    assert f"(protocol {CURRENT}), this server is version" in _host(backend, agent)["upgrade"]
    assert "ngxlab_upgrade" in _host(backend, agent)["upgrade_command"]
    refused = person.client.post(start, json={"host_id": str(agent.host_id)})
    assert (refused.status_code, refused.json()["code"]) == (409, "protocol-skew")
    assert f"needs protocol {demanding}: its agent is version 0.9.9 (protocol {CURRENT})" in refused.json()["detail"]
    _beat(agent, demanding)
    assert person.client.post(start, json={"host_id": str(agent.host_id)}).is_success


def test_a_run_whose_agent_was_replaced_by_an_older_one_fails_at_once(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, person, coordinator = backend.agent(), backend.person(), backend.coordinator()
    run = person.run(agent)
    _demand_more(monkeypatch)
    coordinator.lease(run["id"]).raise_for_status()
    assert coordinator.next(run["id"])["run_state"] == "failed"
    assert f"(protocol {CURRENT})" in english(person.client.get(f"/runs/{run['id']}").json()["state_reason"])


def test_an_agent_from_before_is_told_the_line_that_upgrades_it(backend: Backend) -> None:
    agent, person = backend.agent(), backend.person()
    trial_id = backend.coordinator().begin(person.run(agent)["id"])
    assert _host(backend, agent)["upgrade_command"] is None
    assert _beat(agent, BEFORE).status_code == 200
    host = _host(backend, agent)
    assert host["state"] == "upgrade"
    assert f"needs an upgrade of the host: its agent is version 0.9.9 (protocol {BEFORE})" in host["state_detail"]
    assert host["upgrade_command"].endswith("echo ngxlab_upgrade; } | $(command -v sudo) sh")
    claim = {"agent_instance": str(agent.instance), "protocol": BEFORE}
    refused = agent.client.post(f"/agent/trials/{trial_id}/claim", json=claim)
    assert (refused.status_code, refused.json()["code"]) == (409, "protocol-skew")
    assert f"(protocol {BEFORE})" in refused.json()["detail"]
    _beat(agent, str(CURRENT))
    assert _host(backend, agent)["upgrade_command"] is None


def test_an_agent_that_an_upgrade_has_silenced_is_told_apart_from_one_that_is_away(backend: Backend) -> None:
    agent, current = backend.agent(), backend.agent()
    _beat(agent, BEFORE)

    async def fall_silent(session: AsyncSession) -> None:
        ids = (agent.host_id, current.host_id)
        await session.execute(update(Host).where(Host.id.in_(ids)).values(heartbeat_at=utcnow() - timedelta(minutes=2)))

    backend.operator(fall_silent)
    host = _host(backend, agent)
    assert host["state"] == "upgrade"
    assert host["state_detail"].startswith("No heartbeat for 12")
    assert f"needs an upgrade of the host: its agent is version 0.9.9 (protocol {BEFORE})" in host["state_detail"]
    assert "ngxlab_upgrade" in host["upgrade_command"]
    assert _host(backend, current)["state"] == "offline"


def test_a_trial_is_not_claimed_by_an_agent_that_is_too_old_for_it(backend: Backend) -> None:
    agent = backend.agent()
    trial_id = backend.coordinator().begin(backend.person().run(agent)["id"])

    async def raise_requirement(session: AsyncSession) -> None:
        spec = TrialHost.spec.op("||")({"requires": NEWER})
        await session.execute(update(TrialHost).where(TrialHost.host_id == agent.host_id).values(spec=spec))
        await session.execute(update(Host).where(Host.id == agent.host_id).values(agent_version="0.0.9"))

    backend.operator(raise_requirement)
    answer = agent.claim(trial_id)
    assert (answer.status_code, answer.json()["code"]) == (409, "protocol-skew")
    assert f"version 0.0.9 (protocol {CURRENT})" in answer.json()["detail"]


def test_a_claimed_trial_that_is_not_understood_ends_at_once_with_the_agents_words(backend: Backend) -> None:
    agent, person, coordinator = backend.agent(), backend.person(), backend.coordinator()
    run = person.run(agent)
    trial_id = coordinator.begin(run["id"])
    refusal = {"agent_instance": str(agent.instance), "reason": "it needs protocol 2.9"}
    early = agent.client.post(f"/agent/trials/{trial_id}/refuse", json=refusal)
    assert (early.status_code, early.json()["code"]) == (409, "not-claimed")
    agent.claim(trial_id).raise_for_status()
    for _ in range(2):
        assert agent.client.post(f"/agent/trials/{trial_id}/refuse", json=refusal).status_code == 204
    assert coordinator.next(run["id"])["run_state"] == "failed"
    detail = person.client.get(f"/runs/{run['id']}").json()
    assert detail["state_code"] == "not-understood"
    assert f"{agent.name} does not understand this trial: it needs protocol 2.9" in english(detail["state_reason"])
    assert [trial["attempt"] for trial in detail["trials"]] == [1, 1, 1]
