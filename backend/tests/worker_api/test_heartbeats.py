"""Heartbeats: those that arrive together are one statement, and what follows of one is done."""

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from harness import Agent, Backend, Person, english, frame
from ngxlab.core.database import database_of
from ngxlab.hosts.models import Host
from ngxlab.worker_api import heartbeats
from ngxlab.worker_api.access import KnownCredentials
from ngxlab.worker_api.heartbeats import Heartbeats
from ngxlab_contracts.hosts import AgentIdentity, BrokerTrouble, Heartbeat
from ngxlab_contracts.protocol import CURRENT
from services import wait_until
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

IDENTITY = AgentIdentity(protocol=str(CURRENT), version="0.9.9", hostname="den", machine="m", boot_id="b")


def _beat(agent: Agent, **changes: Any) -> httpx2.Response:
    return agent.beat(agent=IDENTITY, **changes)


def _row(backend: Backend, agent: Agent) -> dict[str, Any]:
    async def read(session: AsyncSession) -> dict[str, Any]:
        host = await session.get(Host, agent.host_id)
        assert host is not None
        return {column.name: getattr(host, column.name) for column in Host.__table__.columns}

    found: dict[str, Any] = backend.operator(read)
    return found


@pytest.fixture
def news(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hosts whose heartbeats brought more than a sign of life."""
    names: list[str] = []
    take = heartbeats._take_news

    async def noted(session: AsyncSession, host: Host, *rest: Any) -> None:
        names.append(host.name)
        await take(session, host, *rest)

    monkeypatch.setattr(heartbeats, "_take_news", noted)
    return names


@pytest.fixture
def agent(backend: Backend) -> Agent:
    """Whose next heartbeat is a sign of life and nothing else."""
    agent = backend.agent()
    for _ in range(2):
        _beat(agent).raise_for_status()
    agent.instance = uuid4()
    _age(backend, agent)
    _beat(agent).raise_for_status()
    return agent


def _age(backend: Backend, agent: Agent) -> None:
    """So that what was heard of the host is too old to say anything."""

    async def forget(session: AsyncSession) -> None:
        host = await session.get(Host, agent.host_id)
        assert host is not None
        host.sightings = []

    backend.operator(forget)


def test_a_sign_of_life_alone_changes_what_it_says_and_nothing_else(
    backend: Backend, agent: Agent, news: list[str]
) -> None:
    before = _row(backend, agent)
    trial_id = uuid4()
    _beat(agent, clock_offset_us=-7, clock_rtt_us=9, active_trial=trial_id).raise_for_status()
    after = _row(backend, agent)
    assert news == []
    changed = {name for name, value in after.items() if value != before[name]}
    assert changed == {"heartbeat_at", "clock_offset_us", "clock_rtt_us", "active_trial_id", "sightings"}
    assert after["heartbeat_at"] > before["heartbeat_at"]
    assert (after["clock_offset_us"], after["clock_rtt_us"], after["active_trial_id"]) == (-7, 9, trial_id)
    (seen,), (earlier,) = after["sightings"], before["sightings"]
    assert seen["heard_at"] > earlier["heard_at"]
    assert seen | {"heard_at": None} == earlier | {"heard_at": None}


@pytest.mark.parametrize(
    "change",
    [
        {"agent_instance": uuid4()},
        {"agent": IDENTITY.model_copy(update={"version": "1.0.0"})},
        {"agent": IDENTITY.model_copy(update={"hostname": "attic"})},
        {"agent": IDENTITY.model_copy(update={"machine": "n"})},
    ],
)
def test_another_agent_is_news(agent: Agent, news: list[str], change: dict[str, Any]) -> None:
    agent.beat(**{"agent": IDENTITY, **change}).raise_for_status()
    assert news == [agent.name]


def test_a_host_that_redis_does_not_know_is_news(backend: Backend, agent: Agent, news: list[str]) -> None:
    async def forget(session: AsyncSession) -> None:
        host = await session.get(Host, agent.host_id)
        assert host is not None
        host.broker_password_hash = None

    backend.operator(forget)
    _beat(agent).raise_for_status()
    assert _row(backend, agent)["broker_password_hash"] is not None
    _beat(agent).raise_for_status()
    assert news == [agent.name]


def test_damaged_sightings_are_no_obstacle(backend: Backend, agent: Agent) -> None:
    async def spoil(session: AsyncSession) -> None:
        host = await session.get(Host, agent.host_id)
        assert host is not None
        host.sightings = {"no": "list"}  # type: ignore[assignment]

    backend.operator(spoil)
    _beat(agent).raise_for_status()
    assert len(_row(backend, agent)["sightings"]) == 1


def test_a_restarted_agent_loses_its_trial_at_once(backend: Backend, agent: Agent) -> None:
    person, coordinator = backend.person(), backend.coordinator()
    trial_id = coordinator.begin(person.run(agent)["id"])
    _age(backend, agent)
    _beat(agent).raise_for_status()
    agent.prepare(trial_id)
    _beat(agent, active_trial=UUID(trial_id)).raise_for_status()
    agent.instance = uuid4()
    _beat(agent).raise_for_status()
    status = coordinator.client.get(f"/coordinator/trials/{trial_id}").json()
    assert status["state"] == "lost"


def test_a_removed_host_is_refused_though_it_was_known_a_moment_ago(backend: Backend, agent: Agent) -> None:
    backend.person().client.delete(f"/hosts/{agent.host_id}").raise_for_status()
    for _ in range(2):
        assert _beat(agent).json()["code"] == "bad-credential"


def test_a_credential_is_known_for_seconds_only() -> None:
    now = 100.0
    known = KnownCredentials(lambda: now)
    assert not known.has("x")
    known.note("x")
    assert known.has("x")
    assert not known.has("y")
    now += 30
    assert not known.has("x")


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who looks at a run says so all the time, and is soon forgotten."""
    monkeypatch.setattr("ngxlab.core.bus._WATCHED_FOR_S", 0.5)
    for module in ("ngxlab.core.bus", "ngxlab.live.hub"):
        monkeypatch.setattr(f"{module}.SAY_WATCHED_EVERY_S", 0.05)


@pytest.fixture
def measuring(backend: Backend, agent: Agent) -> Iterator[tuple[Person, str, str]]:
    """A run whose trial is measured: its owner, its id and that of the trial."""
    person, coordinator = backend.person(), backend.coordinator()
    run = person.run(agent)
    trial_id = coordinator.begin(run["id"])
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id, ended=False)
    _beat(agent, active_trial=UUID(trial_id)).raise_for_status()
    yield person, run["id"], trial_id
    person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()


def _collect_s(agent: Agent, trial_id: str) -> float:
    found: float = _beat(agent, active_trial=UUID(trial_id)).raise_for_status().json()["collect_s"]
    return found


@pytest.mark.usefixtures("forgetful")
def test_a_host_collects_readings_while_nobody_watches_its_run(
    agent: Agent, measuring: tuple[Person, str, str]
) -> None:
    person, run_id, trial_id = measuring
    wait_until(lambda: _collect_s(agent, trial_id) == 5, "the host being told to collect")
    with person.client.stream("GET", f"/runs/{run_id}/live") as answer:
        lines = answer.iter_lines()
        assert next(lines) == "event: snapshot"
        wait_until(lambda: _collect_s(agent, trial_id) == 0, "the host being told to send at once")
        agent.send(trial_id, 6, frames=[frame(4)]).raise_for_status()
        assert any('"t_s":3.0' in line for line in lines)
        assert _collect_s(agent, trial_id) == 0
    wait_until(lambda: _collect_s(agent, trial_id) == 5, "the host being told to collect again")

    def looked() -> bool:
        person.client.get(f"/runs/{run_id}").raise_for_status()
        return _collect_s(agent, trial_id) == 0

    wait_until(looked, "a look at the run being noticed")


def test_a_host_without_a_trial_has_nothing_to_collect(agent: Agent) -> None:
    assert _beat(agent).json()["collect_s"] == 0


def test_those_that_arrive_together_are_few_statements_and_none_waits_for_a_locked_host(backend: Backend) -> None:
    agents = [backend.agent() for _ in range(6)]
    for agent in agents:
        _age(backend, agent)
        _beat(agent).raise_for_status()
    statements = 0

    async def work(session: AsyncSession) -> bool:
        nonlocal statements
        database = database_of(session)
        ask = database.ask

        async def counted(*arguments: Any) -> Any:
            nonlocal statements
            statements += 1
            return await ask(*arguments)

        database.ask = counted  # type: ignore[method-assign, assignment]
        await session.execute(select(Host.id).where(Host.id == agents[3].host_id).with_for_update())
        heard = Heartbeats(database)
        beats = [asyncio.create_task(heard.take(*_arrived(agent))) for agent in agents]
        await asyncio.wait([beat for beat in beats if beat is not beats[3]])
        waits = not beats[3].done()
        await session.rollback()
        await asyncio.gather(*beats)
        return waits

    assert backend.operator(work)
    assert 1 <= statements <= 2


def _arrived(agent: Agent) -> tuple[str, Heartbeat, str]:
    beat = Heartbeat(
        agent_instance=agent.instance,
        sent_at_us=0,
        clock_offset_us=0,
        clock_rtt_us=200,
        active_trial=None,
        agent=IDENTITY,
    )
    return agent.client.headers["Authorization"].removeprefix("Bearer "), beat, "127.0.0.1"


def test_a_host_is_alive_whatever_becomes_of_its_news(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = backend.agent()
    before = _row(backend, agent)["heartbeat_at"]

    async def fail(*_: Any) -> None:
        raise RuntimeError("the news cannot be taken")

    with monkeypatch.context() as patch:
        patch.setattr(heartbeats, "_take_news", fail)
        agent.instance = uuid4()
        assert _beat(agent).status_code == 500
    assert _row(backend, agent)["heartbeat_at"] > before
    _beat(agent).raise_for_status()
    assert _row(backend, agent)["agent_instance"] == agent.instance


def test_an_agent_without_redis_is_shown_as_such_and_runs_wait_for_it(backend: Backend, agent: Agent) -> None:
    person, coordinator = backend.person(), backend.coordinator()
    run = person.run(agent)
    _age(backend, agent)
    for for_s in (60, 64):
        told = BrokerTrouble(reason="Error 111: connection refused", for_s=for_s)
        _beat(agent, broker_trouble=told).raise_for_status()
        host = person.client.get(f"/hosts/{agent.host_id}").json()
        assert host["state"] == "no-redis"
        assert "(Error 111: connection refused)" in host["state_detail"]
    row = _row(backend, agent)
    assert 55 < (row["heartbeat_at"] - row["broker_trouble_since"]).total_seconds() < 120
    coordinator.lease(run["id"]).raise_for_status()
    assert coordinator.next(run["id"])["kind"] == "wait"
    assert "cannot reach Redis since" in english(person.client.get(f"/runs/{run['id']}").json()["state_reason"])
    _beat(agent).raise_for_status()
    assert person.client.get(f"/hosts/{agent.host_id}").json()["state"] != "no-redis"
    assert coordinator.next(run["id"])["kind"] == "trial"
