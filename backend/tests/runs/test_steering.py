"""What people do to a run under way, and how runs share hosts."""

import base64
import zlib
from typing import Any

import pytest
from harness import Agent, Backend, Coordinator, Person, english
from ngxlab.accounts.models import Role
from ngxlab_contracts.hosts import HostCaps
from ngxlab_contracts.telemetry import LatencyInterval


def _trial_state(person: Person, run_id: str, trial_id: str) -> str:
    trials = person.client.get(f"/runs/{run_id}").json()["trials"]
    state: str = next(trial["state"] for trial in trials if trial["id"] == trial_id)
    return state


def _finish(agent: Agent, coordinator: Coordinator, run_id: str) -> str:
    """Measure whatever is left of a run; its final state."""
    while (step := coordinator.next(run_id))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"])
    state: str = step["run_state"]
    return state


def test_a_paused_run_finishes_its_trial_then_frees_the_host_until_resumed(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run, other = person.run(agent), person.run(agent)
    trial_id = coordinator.begin(run["id"])
    assert person.client.post(f"/runs/{run['id']}/pause").json()["paused_at"]
    agent.whole_trial(coordinator, trial_id)
    assert coordinator.next(run["id"])["kind"] == "wait"
    assert "Paused" in english(person.client.get(f"/runs/{run['id']}").json()["progress"]["waiting_for"])
    elsewhere = backend.coordinator()
    elsewhere.begin(other["id"])
    person.client.post(f"/runs/{other['id']}/cancel").raise_for_status()
    assert elsewhere.next(other["id"])["run_state"] == "cancelled"
    assert person.client.post(f"/runs/{run['id']}/resume").json()["paused_at"] is None
    assert _finish(agent, coordinator, run["id"]) == "completed"


def test_a_run_that_is_ended_early_completes_its_block_and_says_so(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent, blocks=8)
    path = f"/runs/{run['id']}"
    assert person.client.post(f"{path}/finish").json()["code"] == "run-not-begun"
    for _ in range(6 * len(run["arms"]) + 1):  # six blocks, and the first trial of the seventh
        agent.whole_trial(coordinator, coordinator.begin(run["id"]))
    assert backend.person(Role.experimenter).client.post(f"{path}/finish").json()["code"] == "not-owner"
    person.client.post(f"{path}/pause").raise_for_status()
    for _ in range(2):
        asked = person.client.post(f"{path}/finish").raise_for_status().json()
        assert (asked["plan"]["blocks"], asked["paused_at"]) == (7, None)
        assert asked["finish_requested_at"]
    assert {trial["block"] for trial in asked["trials"]} == set(range(1, 8))
    assert _finish(agent, coordinator, run["id"]) == "completed"

    ended = person.client.get(path).json()
    assert english(ended["state_reason"]) == "Ended early on request, after block 7 of 8."
    assert ended["progress"]["trials_done"] == ended["progress"]["trials_total"] == 7 * len(run["arms"])
    analysis = person.client.get(f"{path}/report").json()["analysis"]
    assert (analysis["procedure"], analysis["partial"]) == ("any_look", False)
    assert "Ended early on request, after block 7 of 8, and judged so that it may be read" in english(
        analysis["headline"]
    )
    assert person.client.post(f"{path}/finish").json()["code"] == "run-completed"


def test_the_last_block_of_a_fixed_plan_cannot_be_ended_early(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent, blocks=1)
    coordinator.begin(run["id"])
    assert person.client.post(f"/runs/{run['id']}/finish").json()["code"] == "last-block"


def test_a_run_that_is_ended_early_plans_no_block_more(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    stop = {"kind": "precision", "metric": "requests_per_s", "half_width_percent": 0.5, "max_blocks": 20}
    made = person.experiment(blocks=3)
    definition = made["definition"]
    definition["plan"]["stop"] = stop
    body = {"base_version": made["version"], "definition": definition}
    person.client.put(f"/experiments/{made['id']}/definition", json=body).raise_for_status()
    started = person.client.post(f"/experiments/{made['id']}/runs", json={"host_id": str(agent.host_id)})
    run = started.raise_for_status().json()
    coordinator.begin(run["id"])
    person.client.post(f"/runs/{run['id']}/finish").raise_for_status()
    assert _finish(agent, coordinator, run["id"]) == "completed"
    ended = person.client.get(f"/runs/{run['id']}").json()
    assert english(ended["state_reason"]) == "Ended early on request, after block 1 of 20."


def test_a_skipped_trial_is_stopped_and_passed_over(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    trial_id = coordinator.begin(run["id"])
    agent.prepare(trial_id)
    person.client.post(f"/trials/{trial_id}/skip").raise_for_status()
    assert _trial_state(person, run["id"], trial_id) == "skipped"
    assert agent.client.get(f"/agent/trials/{trial_id}/control").json()["command"] == "discard"
    assert _finish(agent, coordinator, run["id"]) == "completed"
    report = person.client.get(f"/runs/{run['id']}/report").json()
    assert report["analysis"]["partial"] is True


def test_a_failed_run_is_retried_without_repeating_what_was_measured(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    good = coordinator.begin(run["id"])
    agent.whole_trial(coordinator, good)
    bad = coordinator.begin(run["id"])
    agent.claim(bad).raise_for_status()
    agent.end(bad, 1, outcome="failed", code="nginx-died")
    assert coordinator.next(run["id"])["run_state"] == "failed"
    assert person.client.post(f"/runs/{run['id']}/retry").json()["state"] == "queued"
    coordinator.lease(run["id"]).raise_for_status()
    assert _finish(agent, coordinator, run["id"]) == "completed"
    trials = person.client.get(f"/runs/{run['id']}").json()["trials"]
    assert [(t["attempt"], t["state"]) for t in trials if t["position"] == 0] == [(1, "completed")]
    assert [(t["attempt"], t["state"]) for t in trials if t["position"] == 1] == [(1, "failed"), (2, "completed")]


def test_a_completed_run_cannot_be_retried(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    coordinator.lease(run["id"]).raise_for_status()
    assert _finish(agent, coordinator, run["id"]) == "completed"
    assert person.client.post(f"/runs/{run['id']}/retry").json()["code"] == "run-completed"


def test_an_agent_that_asks_after_a_completed_trial_may_drop_what_it_still_has(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    trial_id = coordinator.begin(person.run(agent)["id"])
    control = f"/agent/trials/{trial_id}/control"
    assert agent.client.get(control).json()["command"] == "continue"
    agent.whole_trial(coordinator, trial_id)
    assert agent.client.get(control).json()["command"] == "discard"


def test_runs_get_a_host_in_the_order_they_were_queued(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    first, second, third = (person.run(agent) for _ in range(3))
    holders = {run["id"]: backend.coordinator() for run in (first, second, third)}
    for run_id, coordinator in holders.items():
        coordinator.lease(run_id).raise_for_status()
    assert holders[third["id"]].next(third["id"])["kind"] == "wait"
    assert "2 runs are ahead" in english(person.client.get(f"/runs/{third['id']}").json()["progress"]["waiting_for"])
    assert holders[first["id"]].next(first["id"])["kind"] == "trial"
    person.client.post(f"/runs/{second['id']}/cancel").raise_for_status()
    person.client.post(f"/runs/{first['id']}/cancel").raise_for_status()
    assert holders[first["id"]].next(first["id"])["run_state"] == "cancelled"
    assert holders[third["id"]].next(third["id"])["kind"] == "trial"


def test_an_older_run_that_is_retried_waits_for_the_one_under_way(backend: Backend) -> None:
    person, agent, coordinator, elsewhere = (
        backend.person(),
        backend.agent(),
        backend.coordinator(),
        backend.coordinator(),
    )
    older, newer = person.run(agent), person.run(agent)
    bad = coordinator.begin(older["id"])
    agent.claim(bad).raise_for_status()
    agent.end(bad, 1, outcome="failed", code="nginx-died")
    assert coordinator.next(older["id"])["run_state"] == "failed"
    trial_id = elsewhere.begin(newer["id"])
    person.client.post(f"/runs/{older['id']}/retry").raise_for_status()
    agent.whole_trial(elsewhere, trial_id)
    coordinator.lease(older["id"]).raise_for_status()
    assert coordinator.next(older["id"])["kind"] == "wait"
    agent.beat()
    assert _finish(agent, elsewhere, newer["id"]) == "completed"
    agent.beat()
    assert _finish(agent, coordinator, older["id"]) == "completed"


@pytest.mark.parametrize(
    ("caps", "code"),
    [
        ({"max_connections": 50}, "beyond-caps"),
        ({"max_trial_s": 2.5}, "beyond-caps"),
        ({"roles": ["generator"]}, "role-not-allowed"),
    ],
)
def test_what_a_hosts_owner_does_not_allow_is_refused_before_the_start(
    backend: Backend, caps: dict[str, Any], code: str
) -> None:
    person, agent = backend.person(), backend.agent(caps=HostCaps(**caps))
    experiment = person.experiment()
    answer = person.client.post(f"/experiments/{experiment['id']}/runs", json={"host_id": str(agent.host_id)})
    assert (answer.status_code, answer.json()["code"]) == (409, code)
    assert agent.name in answer.json()["detail"]


def test_a_slot_without_a_host_is_named(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    experiment = person.experiment()
    body = {"hosts": {"target": str(agent.host_id), "sidecar": str(agent.host_id)}}
    answer = person.client.post(f"/experiments/{experiment['id']}/runs", json=body)
    assert answer.status_code == 422
    assert {error["field"] for error in answer.json()["errors"]} == {"hosts.generator", "hosts.sidecar"}


def test_a_run_on_a_removed_host_fails_and_holds_nobody_up(backend: Backend) -> None:
    person, kept, removed = backend.person(), backend.agent(), backend.agent()
    run, later = person.run(removed), person.run(kept)
    person.client.delete(f"/hosts/{removed.host_id}").raise_for_status()
    coordinator = backend.coordinator()
    coordinator.lease(run["id"]).raise_for_status()
    assert coordinator.next(run["id"])["run_state"] == "failed"
    assert "was removed" in english(person.client.get(f"/runs/{run['id']}").json()["state_reason"])
    assert backend.coordinator().begin(later["id"])


def test_a_histogram_that_unpacks_without_end_is_refused(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    trial_id = coordinator.begin(person.run(agent)["id"])
    agent.prepare(trial_id)
    bomb = base64.b64encode(b"\x1c\x84\x93\x14" + b"\0" * 4 + zlib.compress(b"\0" * (64 << 20))).decode()
    interval = LatencyInterval(stream="wrk", t0_us=0, t1_us=1, count=1, histogram=bomb)
    answer = agent.send(trial_id, 2, intervals=[interval])
    assert (answer.status_code, answer.json()["code"]) == (422, "bad-histogram")
