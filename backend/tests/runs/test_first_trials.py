"""A run whose first trial of an arm had errors only asks whether to go on, and does not wait for ever."""

from datetime import timedelta
from typing import Any

import pytest
from harness import T0_US, Agent, Backend, Coordinator, Person, english
from ngxlab.core.clock import utcnow
from ngxlab.runs.models import Run
from ngxlab_contracts.telemetry import Answer, StreamResult, WrkPrint
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession


def _result(stream: str, requests: int, **errors: int) -> StreamResult:
    printed = WrkPrint(
        requests=requests,
        duration_s=3.0,
        bytes_read=1,
        requests_per_s=1.0,
        latency_avg_us=None,
        latency_stdev_us=None,
        latency_max_us=None,
        **errors,
    )
    return StreamResult(
        t_us=T0_US, stream=stream, exit_code=0, live_requests=requests, stub_requests=requests, printed=printed
    )


def _missing(stream: str) -> Answer:
    headers = {"content-type": "text/html", "content-length": "153"}
    return Answer(t_us=T0_US, stream=stream, status=404, headers=headers)


def _measured(agent: Agent, coordinator: Coordinator, trial_id: str, *events: Any) -> None:
    """A whole trial that reports these events besides."""
    agent.beat()
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id)
    agent.send(trial_id, 6, events=list(events)).raise_for_status()
    agent.end(trial_id, seq=7)


class Asked:
    """A run whose first trial had errors only, and which has been asked for its next step."""

    def __init__(self, backend: Backend) -> None:
        self.person: Person = backend.person()
        self.agent, self.coordinator = backend.agent(), backend.coordinator()
        self.run_id: str = self.person.run(self.agent)["id"]
        trial_id = self.coordinator.begin(self.run_id)
        (self.stream,) = _streams(self.agent, trial_id)
        events = _result(self.stream, 500, errors_status=500), _missing(self.stream)
        _measured(self.agent, self.coordinator, trial_id, *events)
        self.step = self.coordinator.next(self.run_id)

    def detail(self) -> dict[str, Any]:
        found: dict[str, Any] = self.person.client.get(f"/runs/{self.run_id}").json()
        return found


def _streams(agent: Agent, trial_id: str) -> list[str]:
    spec = agent.claim(trial_id).raise_for_status().json()
    return [stream["key"] for stream in spec["streams"]]


@pytest.fixture
def asked(backend: Backend) -> Asked:
    return Asked(backend)


def test_it_pauses_and_says_what_was_seen(asked: Asked) -> None:
    assert (asked.step["kind"], asked.step["run_state"]) == ("wait", "paused")
    run = asked.detail()
    assert run["state"] == "running"
    assert run["paused_at"] == run["asks"]["since"]
    assert "500 of 500 responses had an unexpected status" in english(run["asks"]["reason"])
    assert "GET / -> 404, text/html, 153 B" in english(run["asks"]["reason"])
    assert "Asks whether to go on" in english(run["progress"]["waiting_for"])


def test_its_hosts_are_free_meanwhile(backend: Backend, asked: Asked) -> None:
    other = asked.person.run(asked.agent)
    backend.coordinator().begin(other["id"])


def test_it_goes_on_and_asks_no_second_time(asked: Asked) -> None:
    answered = asked.person.client.post(f"/runs/{asked.run_id}/resume").raise_for_status().json()
    assert (answered["asks"], answered["paused_at"]) == (None, None)
    asked.agent.beat()
    step = asked.coordinator.next(asked.run_id)
    assert step["kind"] == "trial"
    events = _result(asked.stream, 500, errors_status=500), _missing(asked.stream)
    _measured(asked.agent, asked.coordinator, step["trial"]["trial_id"], *events)
    assert asked.coordinator.next(asked.run_id)["kind"] == "trial"


def test_it_is_cancelled(asked: Asked) -> None:
    asked.person.client.post(f"/runs/{asked.run_id}/cancel").raise_for_status()
    assert asked.coordinator.next(asked.run_id)["run_state"] == "cancelled"
    assert asked.detail()["asks"] is None


def test_without_an_answer_it_ends_and_says_why(backend: Backend, asked: Asked) -> None:
    until = asked.detail()["asks"]["until"]
    assert until > utcnow().isoformat()
    asked.coordinator.next(asked.run_id)
    assert asked.detail()["state"] == "running"

    async def pass_time(session: AsyncSession) -> None:
        earlier = utcnow() - timedelta(seconds=1)
        await session.execute(update(Run).where(Run.id == asked.run_id).values(asks_until=earlier))

    backend.operator(pass_time)
    assert asked.coordinator.next(asked.run_id)["run_state"] == "failed"
    run = asked.detail()
    assert (run["state_code"], run["asks"]) == ("first-trial-failed", None)
    assert "GET / -> 404" in english(run["state_reason"])
    assert "Nobody said within the plan's waiting time" in english(run["state_reason"])
    retried = asked.person.client.post(f"/runs/{asked.run_id}/retry").raise_for_status().json()
    assert (retried["state"], retried["paused_at"]) == ("queued", None)
    asked.agent.beat()
    assert asked.coordinator.next(asked.run_id)["kind"] == "trial"


@pytest.mark.parametrize(
    ("requests", "errors"),
    [(500, {"errors_status": 499}), (500, {}), (500, {"errors_read": 500}), (0, {})],
    ids=["one served", "all served", "read errors beside answers", "nothing happened"],
)
def test_it_does_not_ask_of_a_trial_with_something_served(
    backend: Backend, requests: int, errors: dict[str, int]
) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run_id = person.run(agent)["id"]
    trial_id = coordinator.begin(run_id)
    (stream,) = _streams(agent, trial_id)
    _measured(agent, coordinator, trial_id, _result(stream, requests, **errors))
    assert coordinator.next(run_id)["kind"] == "trial"


def test_connections_that_all_fail_are_errors_only(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run_id = person.run(agent)["id"]
    trial_id = coordinator.begin(run_id)
    (stream,) = _streams(agent, trial_id)
    _measured(agent, coordinator, trial_id, _result(stream, 0, errors_connect=20))
    assert coordinator.next(run_id)["run_state"] == "paused"
    assert "Stream wrk: 20 socket errors." in english(person.client.get(f"/runs/{run_id}").json()["asks"]["reason"])
