"""The history of a host goes on an administrator's word, and what somebody keeps goes only when that is asked for."""

from typing import Any
from uuid import UUID

import httpx2
from exports.measured import Finished
from harness import Agent, Backend, Person
from retention.rounds import look_until
from runs.test_calibration import LOUD, calibrate, calibrations
from sqlalchemy import text

_TWO_HOSTS = text("""
    INSERT INTO run_host (run_id, slot, host_id, address, inventory)
    SELECT run_id, 'other', :host_id, address, inventory FROM run_host WHERE run_id = :run_id LIMIT 1
""")


def _history(person: Person, host_id: UUID) -> Any:
    return person.client.get(f"/hosts/{host_id}/history").raise_for_status().json()


def _delete(person: Person, host_id: UUID, **wanted: Any) -> httpx2.Response:
    name = person.client.get(f"/hosts/{host_id}").raise_for_status().json()["name"]
    return person.client.delete(f"/hosts/{host_id}/history", params={"name": name, **wanted})


def _wait(backend: Backend, person: Person, host_id: UUID) -> None:
    look_until(backend, lambda: _history(person, host_id)["deletion"] is None, "the end of the deletion")


def _over(person: Person, agent: Agent) -> str:
    run_id = str(person.run(agent)["id"])
    person.client.post(f"/runs/{run_id}/cancel").raise_for_status()
    return run_id


def _exists(person: Person, run_id: str) -> bool:
    return person.client.get(f"/runs/{run_id}").status_code == 200


def test_raw_data_goes_and_the_verdict_stays(backend: Backend) -> None:
    finished = Finished(backend)
    person, host_id = finished.person, finished.agent.host_id
    before = finished.get("/report").json()["analysis"]
    asked = _delete(person, host_id)
    assert (asked.status_code, asked.json()["deletion"]["runs_left"]) == (202, 1)
    _wait(backend, person, host_id)
    run, report = finished.get().json(), finished.get("/report").json()
    assert report["analysis"] == before
    assert (run["raw_bytes"], run["raw_removed"]["days"], report["run"]["raw_removed"]) == (0, None, run["raw_removed"])
    series = person.client.get(f"/trials/{run['trials'][0]['id']}/series").raise_for_status().json()
    assert series["series"] == []
    refused = finished.get("/exports/run.zip")
    assert (refused.status_code, refused.json()["code"]) == (409, "raw-data-removed")
    assert "with the history of a host" in refused.json()["detail"]
    (part,) = _history(person, host_id)["parts"]
    assert (part["raw"], part["runs"]) == (False, 1)


def test_what_somebody_keeps_goes_only_when_that_is_asked_for(backend: Backend) -> None:
    person, agent, other = backend.person(), backend.agent(), backend.agent()
    plain, starred, shared, both = (_over(person, agent) for _ in range(4))
    person.client.put(f"/runs/{starred}/star").raise_for_status()
    person.client.post(f"/runs/{shared}/shares", json={}).raise_for_status()
    backend.operator(lambda session: session.execute(_TWO_HOSTS, {"run_id": both, "host_id": other.host_id}))
    elsewhere, going_on = _over(person, other), str(person.run(agent)["id"])
    found = _history(person, agent.host_id)
    kinds = [(part["starred"], part["shared"], part["others"], part["runs"]) for part in found["parts"]]
    assert sorted(kinds) == [
        (False, False, False, 1), (False, False, True, 1), (False, True, False, 1), (True, False, False, 1),
    ]  # fmt: skip
    assert found["under_way"] == 1
    left = [plain, starred, shared, both]
    for wanted, gone in (
        ({}, plain),
        ({"starred": True}, starred),
        ({"shared": True}, shared),
        ({"others": True}, both),
    ):
        assert _delete(person, agent.host_id, verdicts=True, **wanted).status_code == 202
        _wait(backend, person, agent.host_id)
        left.remove(gone)
        assert [run_id for run_id in (plain, starred, shared, both) if _exists(person, run_id)] == left
    assert _exists(person, elsewhere)
    assert _exists(person, going_on)


def test_calibrations_go_with_the_runs(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    calibrate(backend, person, agent, person.experiment(blocks=3, connections=10, threads=1), LOUD)
    assert _delete(person, agent.host_id).status_code == 202
    _wait(backend, person, agent.host_id)
    assert len(calibrations(person, agent)) == 1, "it is no raw data"
    assert _delete(person, agent.host_id, verdicts=True).status_code == 202
    _wait(backend, person, agent.host_id)
    assert calibrations(person, agent) == []


def test_a_run_that_ends_later_stays(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    run_id = str(person.run(agent)["id"])
    assert _delete(person, agent.host_id, verdicts=True).json()["deletion"]["runs_left"] == 0
    person.client.post(f"/runs/{run_id}/cancel").raise_for_status()
    _wait(backend, person, agent.host_id)
    assert _exists(person, run_id)


def test_the_name_of_the_host_confirms_it(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    path = f"/hosts/{agent.host_id}/history"
    refused = person.client.delete(path, params={"name": "another", "verdicts": True})
    assert (refused.status_code, refused.json()["code"]) == (422, "name-differs")
    assert person.client.delete(path).status_code == 422
    assert _history(person, agent.host_id)["deletion"] is None


def test_one_deletion_at_a_time_and_the_audit_log_says_what_it_was(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    run_id = _over(person, agent)
    hold = text("UPDATE trial SET state = 'measuring' WHERE run_id = :id")
    backend.operator(lambda session: session.execute(hold, {"id": run_id}))
    assert _delete(person, agent.host_id, verdicts=True).status_code == 202
    again = _delete(person, agent.host_id)
    assert (again.status_code, again.json()["code"]) == (409, "history-being-deleted")
    release = text("UPDATE trial SET state = 'cancelled' WHERE run_id = :id")
    backend.operator(lambda session: session.execute(release, {"id": run_id}))
    _wait(backend, person, agent.host_id)
    entries = person.client.get("/audit", params={"object": str(agent.host_id), "act": "host-history-deleted"})
    (entry,) = entries.raise_for_status().json()["items"]
    assert (entry["actor_name"], entry["detail"]["runs"], entry["detail"]["verdicts"]) == (person.email, 1, True)
    of_run = person.client.get("/audit", params={"object": run_id, "act": "run-deleted"}).raise_for_status().json()
    assert [one["actor_kind"] for one in of_run["items"]] == ["system"]


def test_the_history_of_a_removed_host_can_be_deleted(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    run_id = _over(person, agent)
    name = person.client.get(f"/hosts/{agent.host_id}").json()["name"]
    person.client.delete(f"/hosts/{agent.host_id}").raise_for_status()
    wanted = {"name": name, "verdicts": True}
    person.client.delete(f"/hosts/{agent.host_id}/history", params=wanted).raise_for_status()
    _wait(backend, person, agent.host_id)
    assert not _exists(person, run_id)
