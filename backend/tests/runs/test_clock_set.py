"""A trial during which the server's clock was set says so: its beginning and its end are told by different clocks."""

from typing import Any

import pytest
from harness import Backend, english


def _trial(backend: Backend, step_us: int) -> dict[str, Any]:
    """A completed one, in the middle of whose window the server's clock was set."""
    agent, person, coordinator = backend.agent(), backend.person(), backend.coordinator()
    run = person.run(agent)
    trial_id = coordinator.begin(run["id"])
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id, ended=False)
    agent.offset_us += step_us
    agent.send(trial_id, 6, events=[agent.phase("cooldown", 3)]).raise_for_status()
    agent.end(trial_id, 7)
    trials = person.client.get(f"/runs/{run['id']}").raise_for_status().json()["trials"]
    found: dict[str, Any] = next(trial for trial in trials if trial["id"] == trial_id)
    assert found["state"] == "completed"
    return found


@pytest.mark.parametrize(("hours", "how"), [(1, "forward by 1:00:00"), (-1, "back by 1:00:00")])
def test_a_clock_that_was_set_within_a_trial_is_noted_with_it(backend: Backend, hours: int, how: str) -> None:
    trial = _trial(backend, hours * 3_600_000_000)
    assert trial["code"] == "server-clock-set"
    assert f"The server's clock was set {how}" in english(trial["reason"])
    assert "What was measured rests on the hosts' own clocks, and counts." in english(trial["reason"])


def test_what_a_clock_drifts_is_no_step(backend: Backend) -> None:
    trial = _trial(backend, 40_000)
    assert (trial["code"], trial["reason"]) == (None, None)
