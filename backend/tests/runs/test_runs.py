"""A run's life, driven over HTTP as the coordinator and the agent do."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import httpx2
import pytest
from harness import Agent, Backend, Coordinator, Person, english, enrolment, frame
from ngxlab.runs.patience import MOST_OF_ONE_CAUSE


def _drive_to_the_end(backend: Backend, run_id: str, agent: Agent) -> Coordinator:
    coordinator = backend.coordinator()
    coordinator.lease(run_id).raise_for_status()
    while (step := coordinator.next(run_id))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"])
    assert step["kind"] == "finished"
    return coordinator


def test_a_run_goes_through_its_plan_and_is_reported(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    run = person.run(agent, blocks=2)
    assert run["state"] == "queued"
    _drive_to_the_end(backend, run["id"], agent)
    detail = person.client.get(f"/runs/{run['id']}").json()
    assert detail["state"] == "completed"
    assert [t["state"] for t in detail["trials"]] == ["completed"] * 6
    assert sorted(t["arm"] for t in detail["trials"][:3]) == ["mutex-off", "mutex-on", "reuseport"]
    assert detail["progress"]["fraction"] == 1.0
    answer = person.client.get(f"/runs/{run['id']}/report")
    assert answer.status_code == 200, answer.text
    report = answer.json()
    rates = [t["summary"]["requests_per_s"] for t in report["trials"]]
    assert rates == pytest.approx([1000.0] * 6)
    assert report["analysis"]["blocks_complete"] == 2


def test_the_same_seed_gives_the_same_order(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    experiment = person.experiment(blocks=5)

    def order(seed: int) -> list[str]:
        body = {"host_id": str(agent.host_id), "seed": seed}
        run = person.client.post(f"/experiments/{experiment['id']}/runs", json=body).json()
        return [trial["arm"] for trial in run["trials"]]

    assert order(7) == order(7)
    assert order(7) != order(8)


def test_a_second_coordinator_is_refused_while_the_first_holds_the_lease(backend: Backend) -> None:
    run = backend.person().run(backend.agent())
    first, second = backend.coordinator(), backend.coordinator()
    assert first.lease(run["id"]).status_code == 200
    assert first.lease(run["id"]).status_code == 200
    assert second.lease(run["id"]).json()["code"] == "lease-held"
    first.client.delete(f"/coordinator/runs/{run['id']}/lease/{first.holder}").raise_for_status()
    assert second.lease(run["id"]).status_code == 200
    body = {"holder": str(first.holder)}
    assert first.client.post(f"/coordinator/runs/{run['id']}/next", json=body).json()["code"] == "lease-lost"


def test_a_claim_may_be_repeated_but_not_taken_over(backend: Backend) -> None:
    agent = backend.agent()
    trial_id = backend.coordinator().begin(backend.person().run(agent)["id"])
    assert agent.claim(trial_id).status_code == 200
    assert agent.claim(trial_id).status_code == 200
    agent.instance = uuid4()
    assert agent.claim(trial_id).json()["code"] == "already-claimed"


def test_a_repeated_batch_counts_once_and_a_gap_is_refused(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    trial_id = coordinator.begin(person.run(agent)["id"])
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id)
    again = agent.send(trial_id, 4, frames=[frame(2)])
    assert (again.status_code, again.json()["acked_seq"]) == (200, 5)
    gap = agent.send(trial_id, 8)
    assert (gap.status_code, gap.json()["code"]) == (409, "batch-gap")
    agent.end(trial_id)
    series = person.client.get(f"/trials/{trial_id}/series").json()["series"]
    waiting = next(s for s in series if s["key"] == "nginx_connections" and s["label"] == "waiting")
    assert [t for t, _ in waiting["points"]] == [-1.0, 0.0, 1.0, 2.0]


def test_cancelling_a_queued_run_ends_it_at_once(backend: Backend) -> None:
    person = backend.person()
    run = person.run(backend.agent())
    assert person.client.post(f"/runs/{run['id']}/cancel").json()["state"] == "cancelled"
    assert person.client.post(f"/runs/{run['id']}/cancel").status_code == 200
    assert backend.coordinator().lease(run["id"]).json()["code"] == "run-cancelled"


def test_cancelling_withdraws_a_trial_that_no_agent_has_taken(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    trial_id = coordinator.begin(run["id"])
    person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
    assert coordinator.client.get(f"/coordinator/trials/{trial_id}").json()["state"] == "cancelled"
    assert agent.claim(trial_id).json()["code"] == "trial-cancelled"
    assert coordinator.next(run["id"])["run_state"] == "cancelled"


def test_cancelling_reaches_the_agent_with_its_next_batch_and_keeps_the_data(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    trial_id = coordinator.begin(run["id"])
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id)
    person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
    assert coordinator.lease(run["id"]).json()["cancel_requested"] is True
    assert agent.send(trial_id, 6, frames=[frame(4)]).json()["control"]["command"] == "cancel"
    agent.end(trial_id, 7, outcome="cancelled", code="cancelled")
    assert coordinator.next(run["id"]) == {"kind": "finished", "trial": None, "run_state": "cancelled"}
    assert person.client.get(f"/trials/{trial_id}/series").json()["series"]
    report = person.client.get(f"/runs/{run['id']}/report").json()
    assert report["analysis"]["partial"] is True


def _started_at(person: Person, run_id: str) -> str | None:
    started_at: str | None = person.client.get(f"/runs/{run_id}").json()["trials"][0]["started_at"]
    return started_at


def test_a_waiting_control_call_returns_as_soon_as_the_start_is_agreed(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    trial_id = coordinator.begin(run["id"])
    agent.prepare(trial_id)
    assert _started_at(person, run["id"]) is None
    agreed = coordinator.start(trial_id).json()["start_at_us"]
    started_at = datetime.fromisoformat(_started_at(person, run["id"]) or "")
    assert started_at == datetime.fromtimestamp(agreed / 1e6, UTC)
    assert coordinator.start(trial_id).json()["start_at_us"] == agreed
    control = agent.client.get(f"/agent/trials/{trial_id}/control", params={"wait_s": 15}).json()
    assert (control["command"], control["start_at_us"]) == ("continue", agreed)


def test_a_deterministic_failure_ends_the_run_with_its_reason(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    trial_id = coordinator.begin(run["id"])
    agent.claim(trial_id).raise_for_status()
    agent.end(trial_id, 1, outcome="failed", code="nginx-config-invalid")
    assert coordinator.next(run["id"])["run_state"] == "failed"
    detail = person.client.get(f"/runs/{run['id']}").json()
    assert detail["state_code"] == "nginx-config-invalid"
    assert "Reason as told." in english(detail["state_reason"])


def test_a_trial_of_a_restarted_agent_is_repeated(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    lost = []
    for attempt in (1, 2):
        trial_id = coordinator.begin(run["id"])
        agent.prepare(trial_id)
        agent.instance = uuid4()
        agent.beat().raise_for_status()
        state = next(t for t in person.client.get(f"/runs/{run['id']}").json()["trials"] if t["id"] == trial_id)
        assert (state["state"], state["code"], state["attempt"]) == ("lost", "agent-restarted", attempt)
        lost.append(trial_id)
    assert agent.send(lost[0], 2).json()["control"]["command"] == "discard"


@pytest.mark.parametrize("code", ["nginx-killed", "upstream-killed", "generator-killed"])
def test_an_accident_of_the_host_is_repeated_and_gives_up_in_the_end(backend: Backend, code: str) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent)
    for attempt in range(1, MOST_OF_ONE_CAUSE + 1):
        trial_id = coordinator.begin(run["id"])
        agent.claim(trial_id).raise_for_status()
        agent.end(trial_id, 1, outcome="failed", code=code)
        state = next(t for t in person.client.get(f"/runs/{run['id']}").json()["trials"] if t["id"] == trial_id)
        assert (state["state"], state["code"], state["attempt"]) == ("lost", code, attempt)
    assert coordinator.next(run["id"])["run_state"] == "failed"
    detail = person.client.get(f"/runs/{run['id']}").json()
    assert detail["state_code"] == code
    assert f"was lost {MOST_OF_ONE_CAUSE} times: Reason as told." in english(detail["state_reason"])


def test_data_that_a_restarted_agent_still_holds_is_waited_for(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    trial_id = coordinator.begin(person.run(agent)["id"])
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.instance = uuid4()
    agent.beat(spooled_trials=[UUID(trial_id)]).raise_for_status()
    agent.measure(trial_id)
    agent.end(trial_id)
    assert coordinator.client.get(f"/coordinator/trials/{trial_id}").json()["state"] == "completed"


def test_two_runs_on_one_host_take_turns(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    first, second = person.run(agent), person.run(agent)
    one, two = backend.coordinator(), backend.coordinator()
    trial_id = one.begin(first["id"])
    two.lease(second["id"]).raise_for_status()
    assert two.next(second["id"])["kind"] == "wait"
    progress = person.client.get(f"/runs/{second['id']}").json()["progress"]
    assert english(progress["waiting_for"]) == f"Waits for host {agent.name}: An experiment #1 uses it."
    assert (progress["queue_place"], progress["held_by"]) == (1, first["id"])
    agent.whole_trial(one, trial_id)
    while (step := one.next(first["id"]))["kind"] == "trial":
        agent.whole_trial(one, step["trial"]["trial_id"])
    assert two.next(second["id"])["kind"] == "trial"


def test_a_run_beyond_the_hosts_descriptors_is_refused_with_the_largest_that_fits(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent(limits={"nofile_hard": "1000"})
    experiment = person.experiment(connections=2000)
    answer = person.client.post(f"/experiments/{experiment['id']}/runs", json={"host_id": str(agent.host_id)})
    assert answer.status_code == 409
    assert answer.json()["code"] == "too-many-connections"
    assert "At most 836 connections fit" in answer.json()["detail"]


def test_a_removed_host_is_locked_out_at_once(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    assert person.client.delete(f"/hosts/{agent.host_id}").status_code == 204
    assert agent.beat().status_code == 401
    assert str(agent.host_id) not in person.client.get("/hosts").text


def test_an_enrolment_token_works_once(backend: Backend) -> None:
    made = backend.person().client.post("/hosts/enrolment-tokens", json={}).json()
    assert made["token"] in made["command"]

    def join(name: str) -> httpx2.Response:
        return backend.client().post("/agent/enrol", json=enrolment(made["token"], name))

    assert join(f"a-{uuid4()}").status_code == 200
    assert join(f"b-{uuid4()}").status_code == 410
