"""Blocks that are added to a run that is over, and what becomes of them when they are cancelled or fail."""

from typing import Any

import pytest
from harness import Agent, Backend, Coordinator, Person, english, inventory
from ngxlab.accounts.models import Role
from ngxlab.runs.planning import randomised_blocks
from services import wait_until


def _finish(agent: Agent, coordinator: Coordinator, run_id: str) -> str:
    """Measure whatever is left of a run; its final state."""
    coordinator.lease(run_id).raise_for_status()
    while (step := coordinator.next(run_id))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"])
    state: str = step["run_state"]
    return state


def _detail(person: Person, run: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = person.client.get(f"/runs/{run['id']}").raise_for_status().json()
    return found


def _qualification(person: Person, run: dict[str, Any]) -> str:
    analysis = person.client.get(f"/runs/{run['id']}/report").raise_for_status().json()["analysis"]
    return english(analysis["qualification"])


def _order(run: dict[str, Any]) -> list[tuple[int, str]]:
    trials = sorted(run["trials"], key=lambda trial: trial["position"])
    return [(trial["block"], trial["arm"]) for trial in trials]


class Over:
    """A completed run of two blocks."""

    def __init__(self, backend: Backend) -> None:
        self.person, self.agent, self.coordinator = backend.person(), backend.agent(), backend.coordinator()
        self.run = self.person.run(self.agent, blocks=2)
        assert _finish(self.agent, self.coordinator, self.run["id"]) == "completed"
        wait_until(lambda: self.detail["headline"] is not None, "the verdict")
        self.path: str = f"/runs/{self.run['id']}"

    @property
    def detail(self) -> dict[str, Any]:
        return _detail(self.person, self.run)

    def add(self, blocks: int, person: Person | None = None) -> Any:
        return (person or self.person).client.post(f"{self.path}/blocks", json={"blocks": blocks})

    def measure(self, trials: int) -> None:
        for _ in range(trials):
            self.agent.whole_trial(self.coordinator, self.coordinator.begin(self.run["id"]))

    def finish(self) -> str:
        return _finish(self.agent, self.coordinator, self.run["id"])


@pytest.fixture
def over(backend: Backend) -> Over:
    return Over(backend)


def test_a_completed_run_goes_on_with_the_blocks_that_would_have_followed(over: Over) -> None:
    before = over.detail["trials"]
    for _ in range(2):  # whoever asks again, as an answer was lost, adds nothing
        added = over.add(4).raise_for_status().json()
        assert (added["state"], added["plan"]["blocks"], added["finished_at"]) == ("queued", 4, None)
    arms = [arm["key"] for arm in added["arms"]]
    planned = randomised_blocks(arms, 4, added["seed"])
    assert _order(added) == [(trial.block, trial.arm) for trial in planned]
    over.measure(1)
    assert "Blocks beyond the plan were added and are not complete" in _qualification(over.person, over.run)
    assert over.finish() == "completed"
    wait_until(lambda: over.detail["headline"] is not None, "the verdict on all blocks")
    ended = over.detail
    assert [trial["id"] for trial in ended["trials"] if trial["block"] <= 2] == [trial["id"] for trial in before]
    assert len(ended["trials"]) == 4 * len(arms)
    said = _qualification(over.person, over.run)
    assert "what was decided after block 2 stands, and the verdict on 4 blocks rests on 0.38 % of the error" in said


def test_two_people_who_add_at_the_same_time_add_once(backend: Backend, over: Over) -> None:
    administrator = backend.person(Role.administrator)
    assert over.add(3).status_code == over.add(3, administrator).status_code == 200
    assert over.add(5).json()["code"] == "run-queued"
    assert over.detail["plan"]["blocks"] == 3


def test_only_its_owner_adds_to_a_run_and_only_more_than_it_has(backend: Backend, over: Over) -> None:
    assert over.add(3, backend.person(Role.experimenter)).json()["code"] == "not-owner"
    assert over.add(3, backend.person(Role.viewer)).status_code == 403
    assert over.add(2).json()["code"] == "no-more-blocks"
    assert over.add(101).status_code == 422
    assert over.detail["state"] == "completed"


def test_a_run_that_goes_on_or_was_cancelled_takes_no_blocks(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    run = person.run(agent, blocks=2)
    path = f"/runs/{run['id']}"
    assert person.client.post(f"{path}/blocks", json={"blocks": 4}).json()["code"] == "run-queued"
    person.client.post(f"{path}/cancel").raise_for_status()
    assert person.client.post(f"{path}/blocks", json={"blocks": 4}).json()["code"] == "run-cancelled"


def test_a_host_that_has_changed_since_takes_no_more_blocks(over: Over) -> None:
    over.agent.beat(inventory=inventory(kernel="7.0.0-changed")).raise_for_status()
    refused = over.add(4).json()
    assert refused["code"] == "host-changed"
    assert "kernel changed from" in refused["detail"]
    assert over.detail["state"] == "completed"


def test_an_addition_that_is_cancelled_before_it_starts_leaves_the_run_as_it_was(over: Over) -> None:
    before = over.detail
    over.add(4).raise_for_status()
    over.person.client.post(f"{over.path}/cancel").raise_for_status()
    wait_until(lambda: over.detail["headline"] is not None, "the verdict")
    after = over.detail
    assert (after["state"], after["plan"]["blocks"]) == ("completed", 2)
    assert after["trials"] == before["trials"]
    assert english(after["headline"]).startswith(english(before["headline"])[:40])
    assert "after block 2 of 4" in english(after["state_reason"])


def test_an_addition_that_is_cancelled_in_a_block_keeps_what_was_measured(over: Over) -> None:
    arms = len(over.run["arms"])
    over.add(4).raise_for_status()
    over.measure(arms + 1)  # block 3, and the first trial of block 4
    over.person.client.post(f"{over.path}/cancel").raise_for_status()
    assert over.coordinator.next(over.run["id"])["run_state"] == "completed"
    ended = over.detail
    states = [trial["state"] for trial in sorted(ended["trials"], key=lambda trial: trial["position"])]
    assert states == ["completed"] * (3 * arms + 1) + ["skipped"] * (arms - 1)
    assert ended["cancel_requested_at"] is None
    assert over.add(5).raise_for_status().json()["state"] == "queued"
    assert over.finish() == "completed"


def test_an_addition_that_fails_is_retried_as_any_run(over: Over) -> None:
    over.add(3).raise_for_status()
    trial_id = over.coordinator.begin(over.run["id"])
    over.agent.claim(trial_id).raise_for_status()
    over.agent.end(trial_id, 1, outcome="failed", code="nginx-died")
    assert over.coordinator.next(over.run["id"])["run_state"] == "failed"
    assert over.add(3).json()["code"] == "run-failed"
    over.person.client.post(f"{over.path}/retry").raise_for_status()
    over.coordinator.lease(over.run["id"]).raise_for_status()
    assert over.finish() == "completed"
    assert over.detail["plan"]["blocks"] == 3


def test_an_addition_that_failed_was_retried_and_was_cancelled_leaves_nothing_behind(over: Over) -> None:
    over.add(4).raise_for_status()
    trial_id = over.coordinator.begin(over.run["id"])
    over.agent.claim(trial_id).raise_for_status()
    over.agent.end(trial_id, 1, outcome="failed", code="nginx-died")
    assert over.coordinator.next(over.run["id"])["run_state"] == "failed"
    over.person.client.post(f"{over.path}/retry").raise_for_status()
    over.person.client.post(f"{over.path}/cancel").raise_for_status()
    assert (over.detail["state"], over.detail["plan"]["blocks"]) == ("completed", 3)
    assert over.add(5).raise_for_status().json()["state"] == "queued"
    assert over.finish() == "completed"
    assert over.detail["plan"]["blocks"] == 5


def test_a_plan_that_may_have_more_blocks_goes_on_to_no_more_than_were_added(backend: Backend) -> None:
    """Its rule ended it after one block; two more were asked for, of the 20 that it may have."""
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    stop = {"kind": "precision", "metric": "requests_per_s", "half_width_percent": 0.01, "max_blocks": 20}
    made = person.experiment(blocks=2)
    made["definition"]["plan"]["stop"] = stop
    body = {"base_version": made["version"], "definition": made["definition"]}
    person.client.put(f"/experiments/{made['id']}/definition", json=body).raise_for_status()
    started = person.client.post(f"/experiments/{made['id']}/runs", json={"host_id": str(agent.host_id)})
    run = started.raise_for_status().json()
    coordinator.begin(run["id"])
    person.client.post(f"/runs/{run['id']}/finish").raise_for_status()
    assert _finish(agent, coordinator, run["id"]) == "completed"
    person.client.post(f"/runs/{run['id']}/blocks", json={"blocks": 3}).raise_for_status()
    assert _finish(agent, coordinator, run["id"]) == "completed"
    assert _detail(person, run)["plan"]["blocks"] == 3


def test_an_addition_that_is_ended_early_says_of_how_many(over: Over) -> None:
    over.add(6).raise_for_status()
    over.measure(1)
    over.person.client.post(f"{over.path}/finish").raise_for_status()
    assert over.finish() == "completed"
    assert english(over.detail["state_reason"]) == "Ended early on request, after block 3 of 6."
