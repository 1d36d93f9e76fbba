"""Reports and their share links."""

import hashlib
from typing import Any
from uuid import uuid4

import pytest
from harness import Backend, Person, english
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession


@pytest.fixture(scope="module")
def finished(backend: Backend) -> tuple[Person, dict[str, Any]]:
    """A person and their completed run of two blocks."""
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent, blocks=2)
    coordinator.lease(run["id"]).raise_for_status()
    while (step := coordinator.next(run["id"]))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"])
    return person, person.client.get(f"/runs/{run['id']}").json()


def test_anyone_with_the_link_reads_the_report_until_it_is_revoked(
    backend: Backend, finished: tuple[Person, dict[str, Any]]
) -> None:
    person, run = finished
    share = person.client.post(f"/runs/{run['id']}/shares", json={}).json()
    token = share["url"].rpartition("/")[2]
    listed = person.client.get(f"/runs/{run['id']}/shares")
    assert share["id"] in [entry["id"] for entry in listed.json()["items"]]
    assert token not in listed.text  # shown once, to who created it
    stranger = backend.client()
    report = stranger.get(f"/shared/{token}").json()
    assert report["analysis"]["headline"]
    trial_id = report["trials"][0]["trial"]["id"]
    assert stranger.get(f"/shared/{token}/trials/{trial_id}/series").json()["series"]
    assert stranger.get(f"/shared/{token}/trials/{trial_id}/artefacts").status_code == 200
    assert person.client.delete(f"/shares/{share['id']}").status_code == 204
    assert stranger.get(f"/shared/{token}").json()["code"] == "unknown-link"
    assert stranger.get(f"/shared/{token}/trials/{trial_id}/series").status_code == 404


def test_of_a_link_only_its_hash_is_stored(backend: Backend, finished: tuple[Person, dict[str, Any]]) -> None:
    person, run = finished
    share = person.client.post(f"/runs/{run['id']}/shares", json={"label": "For a reader"}).json()
    token = share["url"].rpartition("/")[2]
    assert backend.client().get(f"/shared/{token}").status_code == 200

    async def stored(session: AsyncSession) -> dict[str, Any]:
        row = await session.execute(text("SELECT * FROM share WHERE id = :id"), {"id": share["id"]})
        return dict(row.mappings().one())

    row = backend.operator(stored)
    assert row["token_hash"] == hashlib.sha256(token.encode()).hexdigest()
    assert token not in repr(row)
    assert row["label"] == "For a reader"  # so it is the whole row


def test_a_link_opens_its_own_run_only(backend: Backend, finished: tuple[Person, dict[str, Any]]) -> None:
    person, run = finished
    other_agent, coordinator = backend.agent(), backend.coordinator()
    other_trial = coordinator.begin(person.run(other_agent)["id"])
    token = person.client.post(f"/runs/{run['id']}/shares", json={}).json()["url"].rpartition("/")[2]
    assert backend.client().get(f"/shared/{token}/trials/{other_trial}/series").status_code == 404


def test_a_shared_report_names_no_person_and_no_address(
    backend: Backend, finished: tuple[Person, dict[str, Any]]
) -> None:
    person, run = finished
    token = person.client.post(f"/runs/{run['id']}/shares", json={}).json()["url"].rpartition("/")[2]
    answer = backend.client().get(f"/shared/{token}")
    assert person.email not in answer.text
    assert all(nic["addresses"] == [] for host in answer.json()["hosts"] for nic in host["inventory"]["nics"])
    assert answer.headers["x-robots-tag"] == "noindex"


def test_equal_arms_are_not_called_different(finished: tuple[Person, dict[str, Any]]) -> None:
    person, run = finished
    analysis = person.client.get(f"/runs/{run['id']}/report").json()["analysis"]
    verdicts = {s["verdict"] for s in analysis["sentences"] if s["metric"] == "requests_per_s"}
    assert verdicts == {"not_valid"}  # two connections were planned, and ten were open
    assert english(analysis["headline"]).startswith("Not valid: not all planned connections were open, ")
    assert analysis["preview"] is True


def test_a_finished_runs_headline_reaches_the_lists(finished: tuple[Person, dict[str, Any]]) -> None:
    person, run = finished
    report = person.client.get(f"/runs/{run['id']}/report").json()
    runs = person.client.get("/runs", params={"experiment_id": run["experiment_id"]}).json()
    assert [entry["headline"] for entry in runs["items"]] == [report["analysis"]["headline"]]
    said = ("question", "sign", "word", "text")
    answers = [{part: answer[part] for part in said} for answer in report["analysis"]["answers"]]
    assert [entry["answers"] for entry in runs["items"]] == [answers]
    assert answers
    assert [entry["verdict"] for entry in runs["items"]] == [report["analysis"]["verdict"]] == ["not_valid"]
    assert runs["total"] == 1
    asked = {"experiment_id": [run["experiment_id"], str(uuid4())]}
    [of_experiment] = person.client.get("/runs/by-experiment", params=asked).json()["items"]
    assert (of_experiment["experiment_id"], of_experiment["runs"]) == (run["experiment_id"], 1)
    assert of_experiment["runs_by_version"] == {"1": 1}
    assert of_experiment["last_run"]["headline"] == report["analysis"]["headline"]
    found = person.client.get("/experiments", params={"search": "an exper"}).json()
    assert found["total"] >= 1
