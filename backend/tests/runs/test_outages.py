"""Nobody is judged by the absence of the backend or of PostgreSQL, and what a host still holds is waited for."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from harness import Agent, Backend, Coordinator, english
from ngxlab.core.clock import utcnow
from ngxlab.core.database import database_of
from ngxlab.core.jobs.kinds import Attendance
from ngxlab.hosts.models import Host
from ngxlab.runs import repository
from ngxlab.runs.models import Trial, TrialHost
from ngxlab.runs.watch import lost_trials
from ngxlab.runs.watch.lost_trials import Reach, look_after_trials
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

HOUR = timedelta(hours=1)


def _attend_for(monkeypatch: pytest.MonkeyPatch, duration: timedelta) -> None:
    """The backend has heard its hosts for so long, and nobody before."""
    monkeypatch.setattr(Attendance, "since", lambda _: utcnow() - duration)


def _started(backend: Backend) -> tuple[dict[str, Any], Agent, Coordinator, str]:
    agent, coordinator = backend.agent(), backend.coordinator()
    run = backend.person().run(agent)
    trial_id = coordinator.begin(run["id"])
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    return run, agent, coordinator, trial_id


def _shift(backend: Backend, trial_id: str, agent: Agent, started: timedelta, heard: timedelta) -> None:
    """The trial started so long ago, and the host was last heard so long ago."""

    async def work(session: AsyncSession) -> None:
        at, heard_at = utcnow() - started, utcnow() - heard
        start = {"start_at_us": round(at.timestamp() * 1e6), "phase_at": at, "dispatched_at": at}
        await session.execute(update(Trial).where(Trial.id == UUID(trial_id)).values(start))
        await session.execute(
            update(TrialHost).where(TrialHost.trial_id == UUID(trial_id)).values(last_batch_at=heard_at)
        )
        await session.execute(update(Host).where(Host.id == agent.host_id).values(heartbeat_at=heard_at))

    backend.operator(work)


def _state_after_sweep(backend: Backend, trial_id: str, broker_for: timedelta = HOUR) -> tuple[str, str | None]:
    """``broker_for``: how long Redis has been reached."""

    async def work(session: AsyncSession) -> tuple[str, str | None]:
        trial = await repository.trial(session, UUID(trial_id))
        assert trial is not None
        await lost_trials.sweep(session, trial, Reach(Attendance().since, lambda: utcnow() - broker_for))
        return trial.state, trial.code

    found: tuple[str, str | None] = backend.operator(work)
    return found


def test_a_trial_survives_an_hour_without_the_backend_and_keeps_its_data(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    _attend_for(monkeypatch, timedelta(0))
    _, agent, _, trial_id = _started(backend)
    _shift(backend, trial_id, agent, HOUR, HOUR)
    assert _state_after_sweep(backend, trial_id) == ("ready", None)
    agent.measure(trial_id)
    assert agent.send(trial_id, 5).json()["control"]["command"] == "continue"
    agent.end(trial_id)
    assert _state_after_sweep(backend, trial_id) == ("completed", None)


@pytest.mark.parametrize(("silent_s", "code"), [(160, None), (190, "overdue")])
def test_a_trial_is_overdue_once_nothing_of_it_arrives_any_more(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, silent_s: int, code: str | None
) -> None:
    _attend_for(monkeypatch, HOUR)
    _, agent, _, trial_id = _started(backend)
    _shift(backend, trial_id, agent, HOUR, timedelta(seconds=silent_s))
    agent.beat().raise_for_status()  # the host lives, but says nothing of the trial
    assert _state_after_sweep(backend, trial_id)[1] == code


@pytest.mark.parametrize(("late", "code"), [(0.9 * HOUR, None), (1.1 * HOUR, "overdue")])
def test_a_host_that_sends_for_ever_does_not_keep_its_trial_for_ever(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, late: timedelta, code: str | None
) -> None:
    _attend_for(monkeypatch, 3 * HOUR)
    _, agent, _, trial_id = _started(backend)
    agent.measure(trial_id)
    _shift(backend, trial_id, agent, late, timedelta(seconds=1))
    assert agent.send(trial_id, 6).json()["control"]["command"] == "continue"
    assert _state_after_sweep(backend, trial_id)[1] == code


def test_a_silent_host_is_the_reason_also_where_the_trial_is_overdue(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    _attend_for(monkeypatch, HOUR)
    _, agent, _, trial_id = _started(backend)
    _shift(backend, trial_id, agent, HOUR, timedelta(seconds=160))
    assert _state_after_sweep(backend, trial_id)[1] == "agent-lost"


@pytest.mark.parametrize(("silent_s", "code"), [(140, None), (160, "agent-lost")])
def test_a_trial_outlives_two_minutes_without_its_host(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, silent_s: int, code: str | None
) -> None:
    _attend_for(monkeypatch, HOUR)
    _, agent, _, trial_id = _started(backend)
    _shift(backend, trial_id, agent, timedelta(0), timedelta(seconds=silent_s))
    assert _state_after_sweep(backend, trial_id)[1] == code


@pytest.mark.parametrize(("heard_for", "state"), [(timedelta(0), "running"), (HOUR, "failed")])
def test_a_run_fails_for_a_silent_host_only_where_the_backend_was_there_to_hear_it(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, heard_for: timedelta, state: str
) -> None:
    monkeypatch.setattr("ngxlab.worker_api.coordinator_router._WAIT_STEP_S", 0.0)
    _attend_for(monkeypatch, heard_for)
    run, agent, coordinator, trial_id = _started(backend)
    agent.measure(trial_id)
    agent.end(trial_id)
    _shift(backend, trial_id, agent, HOUR, HOUR)
    assert coordinator.next(run["id"])["run_state"] == state
    if state == "running":
        agent.beat().raise_for_status()
        assert coordinator.next(run["id"])["kind"] == "trial"


def test_a_clock_that_is_set_while_a_step_is_worked_out_makes_no_host_silent(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step begins before the clock is set an hour forward, and looks at the host after."""
    monkeypatch.setattr("ngxlab.worker_api.coordinator_router._WAIT_STEP_S", 0.0)
    run, agent, coordinator, trial_id = _started(backend)
    agent.measure(trial_id)
    agent.end(trial_id)
    ahead = timedelta(0)

    def set_forward() -> datetime:
        nonlocal ahead
        ahead = HOUR
        return utcnow() + ahead

    monkeypatch.setattr("ngxlab.worker_api.next_step.utcnow", set_forward)
    monkeypatch.setattr(Attendance, "since", lambda _: utcnow() + ahead)
    step = coordinator.next(run["id"])
    assert (step["kind"], step["run_state"]) == ("wait", "running")


def test_a_trial_that_cannot_be_looked_after_keeps_no_other_from_it(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    _attend_for(monkeypatch, HOUR)
    (_, broken_agent, _, broken_id), (_, agent, coordinator, trial_id) = _started(backend), _started(backend)

    async def spoil(session: AsyncSession) -> None:
        await session.execute(update(TrialHost).where(TrialHost.trial_id == UUID(broken_id)).values(spec={}))

    async def repair(session: AsyncSession) -> None:
        await session.execute(update(Trial).where(Trial.id == UUID(broken_id)).values(state="cancelled"))

    backend.operator(spoil)
    try:
        _shift(backend, broken_id, broken_agent, HOUR, HOUR)
        _shift(backend, trial_id, agent, HOUR, HOUR)

        async def look(session: AsyncSession) -> None:
            await look_after_trials(database_of(session), Reach(Attendance().since, Attendance().since))

        backend.operator(look)
        assert coordinator.client.get(f"/coordinator/trials/{trial_id}").json()["state"] == "lost"
    finally:
        backend.operator(repair)


def test_attendance_begins_anew_after_a_gap_or_a_step_of_the_clock() -> None:
    now = begin = datetime.fromisoformat("2026-01-01T00:00:00Z")
    attendance = Attendance(lambda: now)
    for _ in range(10):
        now += timedelta(seconds=2)
        attendance.note()
    assert attendance.since() == begin
    now += HOUR
    assert attendance.since() == now
    attendance.note()
    back = now
    now += timedelta(seconds=2)
    assert attendance.since() == back
    now -= HOUR
    assert attendance.since() == now


def _given_up(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], Agent, Coordinator, str]:
    """A trial whose host has been silent for too long while it was measured."""
    _attend_for(monkeypatch, HOUR)
    run, agent, coordinator, trial_id = _started(backend)
    _shift(backend, trial_id, agent, timedelta(minutes=3), timedelta(seconds=160))
    assert _state_after_sweep(backend, trial_id) == ("lost", "agent-lost")
    return run, agent, coordinator, trial_id


@pytest.mark.parametrize("first_word", ["heartbeat", "batch", "control"])
def test_a_host_that_comes_back_goes_on_with_its_lost_trial(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, first_word: str
) -> None:
    monkeypatch.setattr("ngxlab.worker_api.coordinator_router._WAIT_STEP_S", 0.0)
    run, agent, coordinator, trial_id = _given_up(backend, monkeypatch)
    assert coordinator.next(run["id"])["kind"] == "wait"  # the next attempt is planned, and the host is offline
    if first_word == "heartbeat":
        agent.beat(active_trial=UUID(trial_id)).raise_for_status()
    if first_word == "control":
        answer = agent.client.get(f"/agent/trials/{trial_id}/control", params={"wait_s": 0}).json()
        assert answer["command"] == "continue"
    agent.measure(trial_id)
    agent.end(trial_id)
    agent.beat().raise_for_status()
    trials = backend.person().client.get(f"/runs/{run['id']}").json()["trials"]
    assert [(t["state"], t["code"]) for t in trials if t["position"] == 0] == [("completed", None)]
    assert coordinator.next(run["id"])["trial"]["trial_id"] != trial_id


def test_data_of_a_trial_that_was_repeated_are_discarded_and_the_trial_says_so(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, agent, coordinator, trial_id = _given_up(backend, monkeypatch)
    agent.beat().raise_for_status()  # it holds nothing, it says
    again = coordinator.next(run["id"])["trial"]["trial_id"]
    assert again != trial_id
    for seq in (2, 3):
        assert agent.send(trial_id, seq).json()["control"]["command"] == "discard"
    lost = next(t for t in backend.person().client.get(f"/runs/{run['id']}").json()["trials"] if t["id"] == trial_id)
    assert (lost["state"], lost["code"]) == ("lost", "agent-lost")
    assert english(lost["reason"]).count("they were discarded") == 1


def test_a_trial_that_was_lost_for_another_reason_stays_lost(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    run, agent, _, trial_id = _given_up(backend, monkeypatch)

    async def lose_otherwise(session: AsyncSession) -> None:
        await session.execute(update(Trial).where(Trial.id == UUID(trial_id)).values(code="agent-restarted"))

    backend.operator(lose_otherwise)
    agent.beat(spooled_trials=[UUID(trial_id)]).raise_for_status()
    found = backend.person().client.get(f"/runs/{run['id']}").json()["trials"]
    assert next(t["state"] for t in found if t["id"] == trial_id) == "lost"


@pytest.mark.parametrize(
    ("unclaimed_s", "broker_for", "state"),
    [
        (140, HOUR, ("dispatched", None)),
        (160, HOUR, ("lost", "host-unresponsive")),
        (3600, timedelta(seconds=140), ("dispatched", None)),
    ],
)
def test_a_trial_waits_for_its_agent_while_redis_is_away(
    backend: Backend,
    monkeypatch: pytest.MonkeyPatch,
    unclaimed_s: int,
    broker_for: timedelta,
    state: tuple[str, str | None],
) -> None:
    _attend_for(monkeypatch, HOUR)
    agent, coordinator = backend.agent(), backend.coordinator()
    trial_id = coordinator.begin(backend.person().run(agent)["id"])

    async def age(session: AsyncSession) -> None:
        at = utcnow() - timedelta(seconds=unclaimed_s)
        await session.execute(update(Trial).where(Trial.id == UUID(trial_id)).values(dispatched_at=at, phase_at=at))

    backend.operator(age)
    assert _state_after_sweep(backend, trial_id, broker_for) == state
