"""One credential on two machines is noticed, and nothing new runs there until its owner has renewed it."""

from typing import Any
from uuid import UUID, uuid4

import httpx2
import processes
from harness import Agent, Backend, english, enrolment, identity
from ngxlab.accounts.models import Role
from services import wait_until
from sqlalchemy import text


def _row(backend: Backend, agent: Agent) -> dict[str, Any]:
    found: dict[str, Any] = backend.person().client.get(f"/hosts/{agent.host_id}").json()
    return found


def _state(backend: Backend, agent: Agent) -> str:
    state: str = _row(backend, agent)["state"]
    return state


def test_two_real_agents_on_one_credential(backend: Backend) -> None:
    person, host = backend.person(), backend.agent()

    def row() -> dict[str, Any]:
        found: dict[str, Any] = person.client.get(f"/hosts/{host.host_id}").json()
        return found

    with processes.agent(backend, host):
        wait_until(lambda: row()["inventory"]["hostname"] != "testhost", "the first agent's heartbeat")
        experiment = person.experiment()
        start = {"host_id": str(host.host_id)}
        queued = person.client.post(f"/experiments/{experiment['id']}/runs", json=start).raise_for_status().json()
        with processes.agent(backend, host):
            wait_until(lambda: row()["state"] == "conflict", "the conflict being noticed", 60)
            detail = row()["state_detail"]
            assert detail.startswith("This host has 2 agents with one credential")
            assert detail.count("(127.0.0.1, since ") == 2
            refused = person.client.post(f"/experiments/{experiment['id']}/runs", json=start)
            assert (refused.status_code, refused.json()["code"]) == (409, "host-conflict")
            waits = person.client.get(f"/runs/{queued['id']}").json()["progress"]["waiting_for"]
            assert english(waits).startswith(f"Waits for host {host.name}: it has 2 agents with one credential")


def test_a_restarted_agent_is_no_clone(backend: Backend) -> None:
    agent = backend.agent()
    for _ in range(4):
        agent.beat().raise_for_status()
        agent.instance = uuid4()
        agent.beat().raise_for_status()
    assert _state(backend, agent) == "idle"


def test_renewing_a_credential_locks_both_out_and_leaves_the_host_its_name_and_history(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    run = person.run(agent)
    clone = Agent(agent.client, agent.host_id, agent.name)
    for _ in range(4):
        agent.beat().raise_for_status()
        clone.beat().raise_for_status()
    assert _state(backend, agent) == "conflict"
    coordinator = backend.coordinator()
    coordinator.lease(run["id"]).raise_for_status()
    assert coordinator.next(run["id"])["kind"] == "wait"

    made = person.client.post(f"/hosts/{agent.host_id}/renew-credential", json={}).raise_for_status().json()
    assert (agent.beat().status_code, clone.beat().status_code) == (401, 401)
    assert _state(backend, agent) == "offline"
    body = enrolment(made["token"], "whatever")
    joined = backend.client().post("/agent/enrol", json=body).raise_for_status().json()
    assert joined["host_id"] == str(agent.host_id)
    renewed = Agent(backend.client(joined["credential"]), agent.host_id, agent.name)
    for _ in range(4):
        renewed.beat().raise_for_status()
    row = _row(backend, agent)
    assert (row["name"], row["state"]) == (agent.name, "idle")
    assert backend.client().post("/agent/enrol", json=body).status_code == 410
    assert coordinator.next(run["id"])["kind"] == "trial"


def test_only_an_administrator_renews_a_credential(backend: Backend) -> None:
    agent = backend.agent()
    answer = backend.person(Role.experimenter).client.post(f"/hosts/{agent.host_id}/renew-credential", json={})
    assert answer.status_code == 403
    assert agent.beat().status_code == 200


def test_a_machine_that_was_set_up_anew_is_the_host_that_it_was(backend: Backend) -> None:
    person, machine, name = backend.person().client, uuid4().hex, f"machine {uuid4().hex[:8]}"

    def join(machine: str) -> httpx2.Response:
        token = person.post("/hosts/enrolment-tokens", json={}).raise_for_status().json()["token"]
        body = enrolment(token, name)
        body["agent"]["machine"] = machine
        checked = backend.client().post("/agent/enrol/check", json={"token": token, "name": name, "machine": machine})
        if not checked.is_success:
            return checked
        return backend.client().post("/agent/enrol", json=body)

    def agent(answer: httpx2.Response) -> Agent:
        joined = answer.raise_for_status().json()
        return Agent(backend.client(joined["credential"]), UUID(joined["host_id"]), name)

    first = agent(join(machine))
    first.beat(agent=identity().model_copy(update={"machine": machine})).raise_for_status()
    assert join(machine).json()["code"] == "name-taken", "its agent was heard a moment ago"
    long_ago = text("UPDATE host SET heartbeat_at = now() - interval '1 minute' WHERE id = :id")
    backend.operator(lambda session: session.execute(long_ago, {"id": first.host_id}))
    assert {join(other).json()["code"] for other in (uuid4().hex, "")} == {"name-taken"}
    again = agent(join(machine))
    assert again.host_id == first.host_id
    assert (first.beat().status_code, again.beat().status_code) == (401, 200)
