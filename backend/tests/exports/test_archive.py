"""A run that is exported here and imported elsewhere has the same report there, byte for byte."""

import io
import json
import re
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import pytest
from exports.archives import edited, files_of, packed, sealed, take_in, with_other_ids
from exports.measured import ADDRESS, FOLDER, Finished
from harness import Backend, Person
from ngxlab.accounts.models import Role
from ngxlab.exports.archive import layout
from ngxlab.exports.archive.reading import Archive
from ngxlab.exports.archive.validation import read_all
from ngxlab.reports.redaction import redacted_json

pytestmark = pytest.mark.timeout(600)  # the run that all share is made by the first


@pytest.fixture(scope="module")
def archive(finished: Finished) -> bytes:
    finished.person.client.put(
        f"/runs/{finished.id}/window", json={"start_s": 0, "end_s": 1.5, "reason": "the first part"}
    ).raise_for_status()
    _write_notes(finished)
    return finished.export("run.zip")


def _write_notes(finished: Finished) -> None:
    """On the run, a trial and a moment; by two people, one edited, one with an address that is redacted."""
    trial = finished.get().json()["trials"][0]["id"]
    other = finished.backend.person(Role.experimenter)
    finished.note(f"Seen from {ADDRESS}:\n\n- **slow**", other)
    edited = finished.note("A cold start.", other, trial_id=trial)
    finished.note("The dip.", trial_id=trial, t_s=0.25)
    finished.person.client.patch(f"/notes/{edited}", json={"text": "A warm start."}).raise_for_status()


def _shared(person: Person, backend: Backend, run_id: str) -> bytes:
    """What a link shows, byte for byte, but for when it was made."""
    made = person.client.post(f"/runs/{run_id}/shares", json={}).raise_for_status().json()
    content: bytes = backend.client().get(f"/shared/{made['url'].rpartition('/')[2]}").raise_for_status().content
    without, count = re.subn(rb'"as_of":"[^"]+"', b'"as_of":""', content)
    assert count == 1
    return without


def _told_elsewhere(report: dict[str, Any]) -> dict[str, Any]:
    """What people who are signed in read of it where it was imported: redacted, as it left, and without addresses."""
    for change in report["windows"]["changes"]:
        change["changed_by"] = change["changed_by"].partition("@")[0]
    for note in report["notes"]:
        note["author"] = note["author"].partition("@")[0]
    told: dict[str, Any] = redacted_json(report)
    return told


def test_the_report_is_the_same_elsewhere(finished: Finished, archive: bytes, empty_lab: Backend) -> None:
    elsewhere = empty_lab.person()
    imported = take_in(elsewhere, archive)
    assert imported.status_code == 201, imported.text
    run = imported.json()
    assert run["id"] == finished.id
    assert (run["imported"]["author"], run["imported"]["imported_by"]) == (
        finished.person.email.partition("@")[0], elsewhere.email,
    )  # fmt: skip
    key = finished.backend.person().client.get("/storage").json()["archive_key"]
    assert (run["imported"]["signed_by"], run["imported"]["key_changed"]) == (key, False)
    assert _shared(elsewhere, empty_lab, finished.id) == _shared(finished.person, finished.backend, finished.id)
    there = elsewhere.client.get(f"/runs/{finished.id}/report").json()
    assert [(note["text"], note["t_s"]) for note in there["notes"]] == [
        ("Seen from <address>:\n\n- **slow**", None), ("A warm start.", None), ("The dip.", 0.25),
    ]  # fmt: skip
    assert there == _told_elsewhere(finished.get("/report").json())
    for trial in run["trials"]:
        path = f"/trials/{trial['id']}/series"
        here, series = finished.person.client.get(path).json(), elsewhere.client.get(path).json()
        assert series | {"live_seq": 0} == here | {"live_seq": 0}
    _is_computed_again_alike(finished, elsewhere)
    _has_no_usable_host(finished, elsewhere)
    again = take_in(elsewhere, archive)
    assert (again.status_code, again.json()["code"]) == (409, "run-exists")


def _is_computed_again_alike(finished: Finished, elsewhere: Person) -> None:
    """From the raw records, which came too: with another window."""
    reports = []
    for client in (elsewhere.client, finished.person.client):
        client.delete(f"/runs/{finished.id}/window").raise_for_status()
        report = client.get(f"/runs/{finished.id}/report").raise_for_status().json()
        reports.append(_told_elsewhere(report)["analysis"])
    assert reports[0] == reports[1]


def _has_no_usable_host(finished: Finished, elsewhere: Person) -> None:
    run = elsewhere.client.get(f"/runs/{finished.id}").json()
    assert run["hosts"] == [finished.agent.name]
    assert elsewhere.client.get("/hosts").json()["items"] == []
    body = {"host_id": run["run_hosts"][0]["id"]}
    refused = elsewhere.client.post(f"/experiments/{run['experiment_id']}/runs", json=body)
    assert refused.status_code in {404, 409, 422}


def test_what_was_said_of_it_before_comes_with_it(archive: bytes, empty_lab: Backend) -> None:
    told: dict[str, Any] = {}

    def judged_by_earlier_versions(run: dict[str, Any]) -> dict[str, Any]:
        """The last one where it was measured, and one before it."""
        (own,) = run["judgements"]
        told.update(own)
        undecided = own | {"method": 0, "verdict": "undecided", "headline": "No conclusion.", "answers": []}
        first = undecided | {"headline": "Nothing yet.", "judged_at": None, "until": "2026-11-01T00:00:00+00:00"}
        return run | {"judgements": [first, undecided]}

    person = empty_lab.person()
    imported = take_in(person, with_other_ids(edited(archive, "run.json", judged_by_earlier_versions)))
    assert imported.status_code == 201, imported.text
    report = person.client.get(f"/runs/{imported.json()['id']}/report").raise_for_status().json()
    assert (told["method"], told["headline"]) == (report["judged"]["method"], report["analysis"]["headline"])
    before = [(one["method"], one["headline"], one["judged_at"]) for one in report["judged_before"]]
    assert before == [(0, "No conclusion.", told["judged_at"]), (0, "Nothing yet.", None)]
    assert imported.json()["judged_differently"]


@pytest.mark.usefixtures("imports_here")
def test_an_archive_from_before_judgements_were_kept_is_read(archive: bytes, empty_lab: Backend) -> None:
    def without(run: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in run.items() if name != "judgements"}

    imported = take_in(empty_lab.person(), with_other_ids(edited(archive, "run.json", without)))
    assert imported.status_code == 201, imported.text
    assert not imported.json()["judged_differently"]


@pytest.mark.usefixtures("imports_here")
def test_what_somebody_has_changed_is_refused_or_unsigned(archive: bytes, empty_lab: Backend) -> None:
    person = empty_lab.person(Role.experimenter)
    assert take_in(person, archive).status_code in {201, 409}
    files = files_of(archive)
    told = json.loads(files["manifest.json"]) | {"written_at": "2026-01-01T00:00:00Z"}
    refused = take_in(person, packed(files | {"manifest.json": json.dumps(told).encode()}))
    assert "Its signature is not that of its content" in refused.json()["detail"]
    unsigned = take_in(person, with_other_ids(archive))
    assert unsigned.status_code == 201, unsigned.text
    found = unsigned.json()["imported"]
    assert (found["signed_by"], found["key_changed"]) == (None, True)


@pytest.mark.usefixtures("imports_here")
def test_what_is_said_to_be_from_here_has_the_key_of_here(finished: Finished, archive: bytes) -> None:
    person = finished.backend.person(Role.experimenter)
    unsigned = take_in(person, with_other_ids(archive)).raise_for_status().json()["imported"]
    assert unsigned["origin"] == finished.backend.settings.public_url
    assert (unsigned["signed_by"], unsigned["key_changed"]) == (None, True)


@pytest.mark.usefixtures("imports_here")
def test_no_address_looks_like_another(archive: bytes, empty_lab: Backend) -> None:
    files, person = files_of(with_other_ids(archive)), empty_lab.person(Role.experimenter)
    refused = take_in(person, sealed(files, origin="https://lab.test/\u0430"))  # Cyrillic
    assert "origin: Value error, has letters outside of ASCII" in refused.json()["detail"]
    taken = take_in(person, sealed(files, origin="https://l\u0430b.test:8400"))
    assert taken.json()["imported"]["origin"] == "https://xn--lb-7kc.test:8400"


def test_trials_are_read_one_by_one(archive: bytes, tmp_path: Path) -> None:
    """However much each of them says, little of it is kept."""
    files, path = files_of(archive), tmp_path / "run.zip"
    trial = json.loads(files[layout.TRIALS].splitlines()[0])
    lines = []
    for position in range(1_000):
        made = trial | {"id": str(uuid4()), "position": position, "reason": "x" * 4_000}
        made["summary"] = trial["summary"] | {"trial_id": made["id"]}
        lines.append(json.dumps(made).encode())
    path.write_bytes(sealed(files | {layout.TRIALS: b"\n".join(lines) + b"\n"}))
    with Archive(path) as read:
        tracemalloc.start()
        try:
            content, taken = read_all(read), tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
    assert len(content.trials) == 1_000
    assert taken < sum(map(len, lines)) / 4


def test_little_is_kept_of_many_layouts(archive: bytes, tmp_path: Path) -> None:
    files, path = files_of(archive), tmp_path / "run.zip"
    layouts = json.loads(files[layout.LAYOUTS].splitlines()[0])
    trials = range(len(files[layout.TRIALS].splitlines()))
    rows = [layouts | {"trial": trial, "id": number} for trial in trials for number in range(4_000)]
    empty = dict.fromkeys((layout.FRAMES, layout.INTERVALS, layout.EVENTS, layout.ARTEFACTS), b"")
    path.write_bytes(sealed(files | empty | {layout.LAYOUTS: b"\n".join(json.dumps(row).encode() for row in rows)}))
    with Archive(path) as read:
        tracemalloc.start()
        try:
            _, taken = read_all(read), tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
    assert taken / len(rows) < 100


def test_an_archive_tells_no_address_no_folder_and_no_email(finished: Finished, archive: bytes) -> None:
    with ZipFile(io.BytesIO(archive)) as file:
        content = {name: file.read(name).decode() for name in file.namelist()}
        assert file.testzip() is None
    for told in (ADDRESS, FOLDER, finished.person.email):
        assert [name for name, text in content.items() if told in text] == []
    manifest = json.loads(content["manifest.json"])
    assert (manifest["format"], manifest["version"], manifest["run_id"]) == ("ngxlab-run", 1, finished.id)


def test_a_run_that_goes_on_has_no_archive(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    run_id = person.run(agent)["id"]
    answer = person.client.get(f"/runs/{run_id}/exports/run.zip")
    assert (answer.status_code, answer.json()["code"]) == (409, "run-queued")


def test_a_viewer_imports_nothing(finished: Finished, archive: bytes) -> None:
    assert take_in(finished.backend.person(Role.viewer), archive).status_code == 403


def test_a_token_takes_a_run_in_like_a_person(archive: bytes, empty_lab: Backend) -> None:
    person, script = empty_lab.person(), empty_lab.client()
    made = person.client.post("/auth/tokens", json={"name": "nightly", "scope": "operate"}).raise_for_status().json()
    script.headers["Authorization"] = f"Bearer {made['token']}"
    imported = take_in(replace(person, client=script), with_other_ids(archive))
    assert imported.status_code == 201, imported.text


def test_nobody_adds_a_run_to_what_is_here(finished: Finished, archive: bytes) -> None:
    """Where it was measured, it is known already, whoever sends it."""
    other = finished.backend.person(Role.experimenter)
    assert take_in(other, archive).json()["code"] == "run-exists"
