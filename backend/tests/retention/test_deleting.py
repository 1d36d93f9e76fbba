"""A deleted run leaves nothing but what others need, and no run that somebody still needs is deleted by mistake."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx2
import ngxlab.models
import pytest
from exports.measured import Finished
from harness import Backend
from ngxlab.accounts.models import Role
from retention.rounds import look_until
from runs.test_calibration import LOUD, QUIET, calibrate, calibrations, power, run_of
from schedules.scheduled import schedule
from sqlalchemy import Uuid, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

_TABLES = ngxlab.models.Base.metadata.tables.values()
_LIVE_ON = {"audit_entry", "notification"}
"""They name what they are about without referring to it, because they outlive it."""


def _rows_left(backend: Backend, ids: list[UUID]) -> dict[str, int]:
    """By table: rows with one of these ids in some column."""

    async def count(session: AsyncSession) -> dict[str, int]:
        found: dict[str, int] = {}
        for table in _TABLES:
            columns = [column for column in table.columns if isinstance(column.type, Uuid)]
            for column in columns:
                rows = await session.scalar(select(func.count()).where(column.in_(ids)).select_from(table))
                found[table.name] = found.get(table.name, 0) + (rows or 0)
        return {name: rows for name, rows in found.items() if rows and name not in _LIVE_ON}

    left: dict[str, int] = backend.operator(count)
    return left


def _delete(finished: Finished, **query: Any) -> httpx2.Response:
    return finished.person.client.delete(f"/runs/{finished.id}", params=query)


def test_nothing_of_a_deleted_run_is_left(backend: Backend) -> None:
    finished = Finished(backend)
    run = finished.get().json()
    link = finished.share()
    window = {"start_s": 0, "end_s": 1}
    finished.person.client.put(f"/runs/{finished.id}/window", json=window).raise_for_status()
    finished.person.client.put(f"/runs/{finished.id}/star").raise_for_status()
    finished.note("a dip", trial_id=run["trials"][0]["id"], t_s=0.5)
    ids = [UUID(finished.id), *(UUID(trial["id"]) for trial in run["trials"])]
    ids += [UUID(share["id"]) for share in finished.get("/shares").json()["items"]]
    before = _rows_left(backend, ids)
    kept = {"run", "run_host", "trial", "trial_host", "layout", "frame", "latency_interval", "trial_event", "artefact"}
    assert before.keys() >= kept | {"window_change", "share", "shared_run", "share_copy", "note"}
    assert _delete(finished, end_links=True).status_code == 204
    assert finished.get().status_code == 404
    assert backend.client().get(f"/shared/{link}").status_code == 404
    assert finished.person.client.get(f"/trials/{run['trials'][0]['id']}/series").status_code == 404
    look_until(backend, lambda: _rows_left(backend, ids) == {}, "the removal of its raw data")
    entries = backend.person().client.get("/audit", params={"act": "run-deleted", "limit": 200}).json()["items"]
    (entry,) = [one for one in entries if one["object_id"] == finished.id]
    assert (entry["object_name"], entry["actor_name"]) == ("An experiment, run 1", finished.person.email)
    assert entry["detail"]["trials"] == len(run["trials"])
    assert (entry["detail"]["links_ended"], entry["detail"]["state"]) == (1, "completed")


def _delete_experiment(finished: Finished, **query: Any) -> httpx2.Response:
    experiment_id = finished.get().json()["experiment_id"]
    return finished.person.client.delete(f"/experiments/{experiment_id}", params=query)


def test_nothing_of_a_deleted_experiment_is_left(backend: Backend) -> None:
    finished = Finished(backend)
    run = finished.get().json()
    link = finished.share()
    client, path = finished.person.client, f"/experiments/{run['experiment_id']}"
    trends = client.post(f"{path}/trends/shares", json={}).raise_for_status().json()["url"].rpartition("/shared/")[2]
    ids = [UUID(finished.id), UUID(run["experiment_id"]), *(UUID(trial["id"]) for trial in run["trials"])]
    assert backend.client().get(f"/shared/{trends}").status_code == 200
    assert _delete_experiment(finished).json()["code"] == "experiment-shared"
    assert finished.get().status_code == 200
    assert _delete_experiment(finished, end_links=True).status_code == 204
    assert (client.get(path).status_code, finished.get().status_code) == (404, 404)
    for shared in (link, trends):
        assert backend.client().get(f"/shared/{shared}").status_code == 404
    look_until(backend, lambda: _rows_left(backend, ids) == {}, "the removal of its raw data")
    entries = backend.person().client.get("/audit", params={"act": "experiment-deleted", "limit": 200}).json()["items"]
    (entry,) = [one for one in entries if one["object_id"] == run["experiment_id"]]
    assert (entry["object_name"], entry["detail"]["runs"]) == ("An experiment", 1)
    assert entry["detail"]["links_ended"] == 2


def test_an_experiment_with_a_schedule_goes_with_it(backend: Backend) -> None:
    made = schedule(backend)
    path = f"/experiments/{made.experiment_id}"
    assert made.person.client.delete(path).status_code == 204
    assert made.person.client.get(path).status_code == 404


def test_an_experiment_is_not_deleted_while_a_run_of_it_goes_on(backend: Backend) -> None:
    person = backend.person()
    run = person.run(backend.agent())
    answer = person.client.delete(f"/experiments/{run['experiment_id']}")
    assert (answer.status_code, answer.json()["code"]) == (409, "run-queued")


def test_an_experiment_of_which_a_run_is_somebody_elses_is_not_deleted(backend: Backend) -> None:
    owner, other = backend.person(Role.experimenter), backend.person(Role.experimenter)
    agent = backend.agent()
    experiment = owner.experiment()
    for person in (owner, other):
        body = {"host_id": str(agent.host_id), "seed": 1}
        run = person.client.post(f"/experiments/{experiment['id']}/runs", json=body).raise_for_status().json()
        person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
    answers = [person.client.delete(f"/experiments/{experiment['id']}") for person in (other, owner)]
    assert [answer.json()["code"] for answer in answers] == ["not-owner", "not-owner"]
    assert "run 2" in answers[1].json()["detail"]
    assert backend.person().client.delete(f"/experiments/{experiment['id']}").status_code == 204


def test_an_experiment_that_calibrates_hosts_stays(backend: Backend) -> None:
    agent, person = backend.agent(), backend.person()
    experiment = person.experiment(blocks=3, connections=10, threads=1)
    calibration = calibrate(backend, person, agent, experiment, LOUD)["run"]
    answer = person.client.delete(f"/experiments/{calibration['experiment_id']}")
    assert (answer.status_code, answer.json()["code"]) == (409, "experiment-calibrates")


def test_a_run_that_goes_on_is_not_deleted(backend: Backend) -> None:
    person = backend.person(Role.experimenter)
    run = person.run(backend.agent())
    refused = person.client.delete(f"/runs/{run['id']}")
    assert (refused.status_code, refused.json()["code"]) == (409, "run-queued")
    person.client.post(f"/runs/{run['id']}/cancel").raise_for_status()
    assert person.client.delete(f"/runs/{run['id']}").status_code == 204
    assert person.client.delete(f"/runs/{run['id']}").status_code == 404


def test_a_run_is_not_deleted_while_a_host_is_at_a_trial_of_it(backend: Backend) -> None:
    person, agent = backend.person(Role.experimenter), backend.agent()
    run_id = person.run(agent)["id"]
    trial_id = backend.coordinator().begin(run_id)
    agent.prepare(trial_id)
    ended = text("UPDATE run SET state = 'failed', finished_at = now() WHERE id = :id")
    backend.operator(lambda session: session.execute(ended, {"id": run_id}))
    refused = person.client.delete(f"/runs/{run_id}")
    assert (refused.status_code, refused.json()["code"]) == (409, "trial-under-way")


def test_links_that_work_are_not_ended_by_mistake(backend: Backend) -> None:
    person = backend.person(Role.experimenter)
    run_id = person.run(backend.agent())["id"]
    person.client.post(f"/runs/{run_id}/cancel").raise_for_status()
    links = [person.client.post(f"/runs/{run_id}/shares", json={}).raise_for_status().json() for _ in range(2)]
    refused = person.client.delete(f"/runs/{run_id}")
    assert (refused.status_code, refused.json()["code"]) == (409, "run-shared")
    assert refused.json()["detail"].startswith("2 links show it.")
    for link in links:
        person.client.delete(f"/shares/{link['id']}").raise_for_status()
    assert person.client.delete(f"/runs/{run_id}").status_code == 204, "revoked links protect nothing"


def test_the_number_of_a_deleted_run_is_not_given_again(backend: Backend) -> None:
    person, agent = backend.person(Role.experimenter), backend.agent()
    first = person.run(agent)
    person.client.post(f"/runs/{first['id']}/cancel").raise_for_status()
    person.client.delete(f"/runs/{first['id']}").raise_for_status()
    agent.beat()
    path = f"/experiments/{first['experiment_id']}/runs"
    again = person.client.post(path, json={"host_id": str(agent.host_id)}).raise_for_status().json()
    assert (first["number"], again["number"]) == (1, 2)


def test_a_calibration_outlives_its_run(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    experiment = person.experiment(blocks=3, connections=10, threads=1)
    run_id = calibrate(backend, person, agent, experiment, LOUD)["run"]["id"]
    (before,) = calibrations(person, agent)
    judged = run_of(backend, person, agent, experiment, QUIET)
    person.client.delete(f"/runs/{run_id}").raise_for_status()
    (after,) = calibrations(person, agent)
    assert before["run_id"] == run_id
    assert after == before | {"run_id": None}
    assert (after["experiment_name"], after["hosts"], after["stale"]) == ("A/A: An experiment", [agent.name], None)
    assert power(person, agent, experiment)["source"] == "calibration"
    report = person.client.get(f"/runs/{judged['run']['id']}/report").raise_for_status().json()["analysis"]
    assert report["noise"] == judged["analysis"]["noise"] != {}
    assert report["margin_note"] == judged["analysis"]["margin_note"]


def test_a_schedule_goes_on_without_the_runs_that_it_started(backend: Backend) -> None:
    made = schedule(backend)
    made.due(timedelta(minutes=1))
    [started] = made.settle()
    made.person.client.post(f"/runs/{started['run_id']}/cancel").raise_for_status()
    made.person.client.delete(f"/runs/{started['run_id']}").raise_for_status()
    [known] = made.now()["latest"]
    assert (known["outcome"], known["run_id"], known["run_number"]) == ("started", None, None)
    made.due(timedelta(seconds=1))
    assert [one["run_number"] for one in made.settle(2)] == [2, None]


def test_a_run_is_imported_again_once_its_data_has_gone(backend: Backend) -> None:
    finished = Finished(backend)
    trials = [UUID(trial["id"]) for trial in finished.get().json()["trials"]]
    archive = finished.export("run.zip")

    def imported() -> httpx2.Response:
        headers = {"Content-Type": "application/zip"}
        return finished.person.client.post("/runs/import", content=archive, headers=headers)

    async def while_its_data_cannot_be_removed(session: AsyncSession) -> httpx2.Response:
        await session.execute(text("SELECT id FROM frame WHERE trial_id = ANY(:ids) FOR UPDATE"), {"ids": trials})
        assert (await asyncio.to_thread(_delete, finished)).status_code == 204
        return await asyncio.to_thread(imported)

    refused = backend.operator(while_its_data_cannot_be_removed)
    assert (refused.status_code, refused.json()["code"]) == (409, "deleted")
    look_until(backend, lambda: imported().status_code == 201, "the import")
    assert finished.get("/report").json()["unreadable"] == []


@pytest.mark.parametrize("role", [Role.viewer, Role.experimenter])
def test_nobody_deletes_what_others_measured(backend: Backend, role: Role) -> None:
    owner = backend.person(Role.experimenter)
    run_id = owner.run(backend.agent())["id"]
    owner.client.post(f"/runs/{run_id}/cancel").raise_for_status()
    assert backend.person(role).client.delete(f"/runs/{run_id}").status_code == 403
    assert backend.person(Role.administrator).client.delete(f"/runs/{run_id}").status_code == 204
