"""A run waits out what disturbs it from outside, for as long as its plan says, and keeps what is complete."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from harness import Agent, Backend, Coordinator, Person, english, fleet
from ngxlab.runs import patience
from ngxlab.runs.patience import GiveUp, Loss, Repeat, after
from ngxlab_contracts.telemetry import StreamResult
from sqlalchemy import Executable, text
from sqlalchemy.ext.asyncio import AsyncSession

T0 = datetime(2026, 1, 1, tzinfo=UTC)
HALF_AN_HOUR = timedelta(minutes=30)


def losses(*told: tuple[float, str]) -> list[Loss]:
    """Each with the minute in which it happened."""
    return [Loss(T0 + timedelta(minutes=minute), code, "Why.") for minute, code in told]


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ([(0, "disk-full")], Repeat(T0)),
        ([(0, "disk-full"), (0, "agent-lost"), (0, "clock-stepped")], Repeat(T0 + timedelta(seconds=10))),
        ([(minute, "disk-full") for minute in range(25)], Repeat(T0 + timedelta(minutes=34))),
        (
            [(0, "agent-lost"), (31, "agent-lost")],
            Repeat(T0 + timedelta(minutes=31)),
        ),
        (
            [(0, "agent-lost"), (20, "agent-lost"), (31, "disk-full")],
            GiveUp("was disturbed for 31 minutes, which is longer than its plan waits: Why."),
        ),
        ([(0, "nginx-killed"), (1, "generator-killed"), (2, "nginx-killed")], Repeat(T0 + timedelta(minutes=2))),
        ([(0, "nginx-killed"), (1, "agent-lost"), (2, "nginx-killed")], Repeat(T0 + timedelta(minutes=2))),
        ([(minute, "nginx-killed") for minute in range(3)], GiveUp("was lost 3 times: Why.")),
        ([(minute, "unreadable") for minute in range(3)], GiveUp("was lost 3 times: Why.")),
    ],
)
def test_what_follows_losses(told: list[tuple[float, str]], verdict: Repeat | GiveUp) -> None:
    assert after(losses(*told), HALF_AN_HOUR) == verdict


class Disturbed:
    """A run of three trials whose host is disturbed."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.person: Person = backend.person()
        self.agent: Agent = backend.agent()
        self.coordinator: Coordinator = backend.coordinator()
        self.id: str = self.person.run(self.agent)["id"]

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.person.client.get(f"/runs/{self.id}").raise_for_status().json()
        return found

    def lose(self, code: str) -> str:
        trial_id = self.coordinator.begin(self.id)
        self.agent.claim(trial_id).raise_for_status()
        self.agent.end(trial_id, 1, outcome="failed", code=code)
        self.agent.beat()
        return trial_id

    def go_on(self) -> None:
        """To its end."""
        while (step := self.coordinator.next(self.id))["kind"] == "trial":
            self.agent.whole_trial(self.coordinator, step["trial"]["trial_id"])
        assert self.state()["state"] == "completed"


@pytest.fixture
def disturbed(backend: Backend) -> Disturbed:
    return Disturbed(backend)


@pytest.fixture
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_PAUSES_S", (0,))


@pytest.mark.usefixtures("_no_pause")
def test_faults_of_the_surroundings_are_waited_out_however_many(disturbed: Disturbed) -> None:
    for code in ("disk-full", "agent-stalled", "disk-full", "clock-stepped", "disk-full", "peers-missing"):
        disturbed.lose(code)
    assert disturbed.state()["state"] == "running"
    disturbed.coordinator.lease(disturbed.id).raise_for_status()
    disturbed.go_on()


def test_between_two_tries_it_says_what_it_waits_for(disturbed: Disturbed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_PAUSES_S", (600,))
    disturbed.lose("disk-full")
    assert disturbed.coordinator.next(disturbed.id)["kind"] == "wait"
    assert english(disturbed.state()["state_reason"]).startswith("Waits to repeat trial 1 (")


@pytest.mark.usefixtures("_no_pause")
def test_it_gives_up_after_the_time_that_its_plan_says(disturbed: Disturbed) -> None:
    for minutes in (45, 25, 5):
        trial_id = disturbed.lose("disk-full")
        aging = text("UPDATE trial SET finished_at = now() - make_interval(mins => :minutes) WHERE id = :id")
        aging = aging.bindparams(id=UUID(trial_id), minutes=minutes)
        disturbed.backend.operator(partial(_execute, statement=aging))
    assert disturbed.coordinator.next(disturbed.id)["run_state"] == "failed"
    state = disturbed.state()
    assert state["state_code"] == "disk-full"
    assert "was disturbed for 40 minutes, which is longer than its plan waits" in english(state["state_reason"])


def test_a_host_without_room_is_waited_for(disturbed: Disturbed) -> None:
    disturbed.coordinator.lease(disturbed.id).raise_for_status()
    disturbed.agent.beat(disk_trouble="12 KiB free, and a trial needs 16 MiB").raise_for_status()
    assert disturbed.coordinator.next(disturbed.id)["kind"] == "wait"
    reason = f"Waits for host {disturbed.agent.name}: it has no room on its disk for a trial (12 KiB free, and a trial"
    assert english(disturbed.state()["progress"]["waiting_for"]).startswith(reason)
    host = disturbed.person.client.get(f"/hosts/{disturbed.agent.host_id}").json()
    assert (host["state"], "no room on its disk" in host["state_detail"]) == ("no-room", True)
    disturbed.agent.beat().raise_for_status()
    assert disturbed.coordinator.next(disturbed.id)["kind"] == "trial"


async def _execute(session: AsyncSession, statement: Executable) -> None:
    await session.execute(statement)


async def _first(session: AsyncSession, statement: Executable) -> Any:
    return (await session.execute(statement)).one()


def _measured(disturbed: Disturbed, *, ended: bool, whole: bool = True, exit_code: int = 0) -> str:
    """A trial in its cool-down, or in its window unless ``whole``; with ``ended``, its generator has reported."""
    trial_id = disturbed.coordinator.begin(disturbed.id)
    disturbed.agent.prepare(trial_id)
    disturbed.coordinator.start(trial_id).raise_for_status()
    disturbed.agent.measure(trial_id, ended=whole)
    if ended:
        result = StreamResult(
            t_us=0, stream="wrk", exit_code=exit_code, live_requests=1, live_unavailable_reason=None, stub_requests=1,
            printed=None, totals=None,
        )  # fmt: skip
        disturbed.agent.send(trial_id, 6, events=[result]).raise_for_status()
    return trial_id


@pytest.mark.parametrize("how", ["restart", "report"])
def test_a_trial_whose_window_is_complete_is_kept(disturbed: Disturbed, how: str) -> None:
    trial_id = _measured(disturbed, ended=True)
    if how == "restart":
        disturbed.agent.instance = uuid4()
        disturbed.agent.beat().raise_for_status()
    else:
        disturbed.agent.end(trial_id, 7, outcome="failed", code="agent-restarted")
    [trial] = [one for one in disturbed.state()["trials"] if one["id"] == trial_id]
    assert (trial["state"], trial["code"]) == ("completed", "window-kept")
    assert english(trial["reason"]).endswith("Its measured window was complete by then, so it counts.")
    disturbed.go_on()
    assert len(disturbed.state()["trials"]) == 3


@pytest.mark.parametrize("is_over", [True, False])
def test_of_several_hosts_the_last_one_may_die_after_the_window(backend: Backend, *, is_over: bool) -> None:
    """The trial counts once all others have told all that they have to tell."""
    target, generator, trial_id = fleet(backend)
    result = StreamResult(t_us=0, stream="wrk", exit_code=0, live_requests=1, stub_requests=None, printed=None)
    target.send(trial_id, 3, events=[target.phase("cooldown", 3)]).raise_for_status()
    generator.send(trial_id, 3, events=[generator.phase("cooldown", 3), result]).raise_for_status()
    if is_over:
        generator.end(trial_id, 4)
    target.instance = uuid4()
    target.beat().raise_for_status()
    states = text("SELECT state, code FROM trial WHERE id = :id").bindparams(id=UUID(trial_id))
    state, code = backend.operator(partial(_first, statement=states))
    assert (state, code) == (("completed", "window-kept") if is_over else ("lost", "agent-restarted"))


def test_a_trial_that_fails_in_its_window_is_repeated_though_its_generator_has_reported(disturbed: Disturbed) -> None:
    """It cleans up then, which is no sign of a window that is over."""
    trial_id = _measured(disturbed, ended=True, whole=False)
    disturbed.agent.end(trial_id, 7, outcome="failed", code="nginx-killed")
    [trial] = [one for one in disturbed.state()["trials"] if one["id"] == trial_id]
    assert (trial["state"], trial["code"]) == ("lost", "nginx-killed")


def test_a_trial_whose_generator_was_killed_at_its_end_is_repeated(disturbed: Disturbed) -> None:
    """It has printed nothing, so that the trial has no latency."""
    trial_id = _measured(disturbed, ended=True, exit_code=-9)
    disturbed.agent.end(trial_id, 7, outcome="failed", code="generator-killed")
    [trial] = [one for one in disturbed.state()["trials"] if one["id"] == trial_id]
    assert (trial["state"], trial["code"]) == ("lost", "generator-killed")


def test_a_trial_whose_streams_have_not_reported_is_repeated(disturbed: Disturbed) -> None:
    trial_id = _measured(disturbed, ended=False)
    disturbed.agent.instance = uuid4()
    disturbed.agent.beat().raise_for_status()
    [trial] = [one for one in disturbed.state()["trials"] if one["id"] == trial_id]
    assert (trial["state"], trial["code"]) == ("lost", "agent-restarted")
