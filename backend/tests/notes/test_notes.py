"""Notes: on a run, a trial or a moment, read by all, written by who operates, changed by who wrote them."""

from typing import Any

import pytest
from harness import Backend, Person
from ngxlab.accounts.models import Role
from ngxlab.notes.schemas import MOST_CHARACTERS, MOST_OF_A_RUN


def _add(person: Person, run: dict[str, Any], **body: Any) -> dict[str, Any]:
    made: dict[str, Any] = person.client.post(f"/runs/{run['id']}/notes", json=body).raise_for_status().json()
    return made


def _notes(person: Person, run: dict[str, Any]) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = person.client.get(f"/runs/{run['id']}/notes").raise_for_status().json()["items"]
    return listed


@pytest.fixture(scope="module")
def owner(backend: Backend) -> Person:
    return backend.person(Role.experimenter)


@pytest.fixture
def run(backend: Backend, owner: Person) -> dict[str, Any]:
    made = owner.run(backend.agent())
    found: dict[str, Any] = owner.client.get(f"/runs/{made['id']}").json()
    return found


def test_they_are_on_a_run_a_trial_or_a_moment_and_read_by_all(
    backend: Backend, owner: Person, run: dict[str, Any]
) -> None:
    assert _notes(owner, run) == []
    trial = run["trials"][0]["id"]
    other = backend.person(Role.experimenter)
    _add(owner, run, text="  **Look** here.\n\nAnd here.  ")
    _add(other, run, text="A cold start.", trial_id=trial)
    _add(owner, run, text="The dip.", trial_id=trial, t_s=0.5)
    read = _notes(backend.person(Role.viewer), run)
    assert [(note["text"], note["trial_id"], note["t_s"], note["author"]) for note in read] == [
        ("**Look** here.\n\nAnd here.", None, None, owner.email),
        ("A cold start.", trial, None, other.email),
        ("The dip.", trial, 0.5, owner.email),
    ]
    assert [note["may_change"] for note in read] == [False, False, False]
    assert [note["may_change"] for note in _notes(owner, run)] == [True, False, True]
    assert [note["may_change"] for note in _notes(backend.person(), run)] == [True, True, True]
    report = other.client.get(f"/runs/{run['id']}/report").raise_for_status().json()
    assert report["notes"] == _notes(other, run)


def test_a_share_shows_them_without_names_and_addresses(backend: Backend, owner: Person, run: dict[str, Any]) -> None:
    _add(owner, run, text="Traffic from 10.20.30.40 in /home/ada/notes.")
    made = owner.client.post(f"/runs/{run['id']}/shares", json={}).raise_for_status().json()
    report = backend.client().get(f"/shared/{made['url'].rpartition('/')[2]}").raise_for_status().json()
    (note,) = report["notes"]
    assert (note["text"], note["author"], note["may_change"]) == ("Traffic from <address> in ~/notes.", None, False)


def test_their_author_and_administrators_edit_and_delete_them(
    backend: Backend, owner: Person, run: dict[str, Any]
) -> None:
    note = _add(owner, run, text="One.")
    assert note["edited_at"] is None
    path = f"/notes/{note['id']}"
    same = owner.client.patch(path, json={"text": "One."}).raise_for_status().json()
    assert same == note
    edited = owner.client.patch(path, json={"text": "Two."}).raise_for_status().json()
    assert edited | {"text": "One.", "edited_at": None} == note
    assert (edited["text"], edited["edited_at"] >= edited["created_at"]) == ("Two.", True)
    stranger = backend.person(Role.experimenter)
    for answer in (stranger.client.patch(path, json={"text": "Three."}), stranger.client.delete(path)):
        assert (answer.status_code, answer.json()["code"]) == (403, "not-owner")
    assert _notes(stranger, run) == [edited | {"may_change": False}]
    administrator = backend.person()
    assert administrator.client.delete(path).status_code == 204
    assert _notes(owner, run) == []
    assert owner.client.delete(path).status_code == 404
    assert _entered(backend, run) == [
        ("note-deleted", administrator.email, owner.email),
        ("note-edited", owner.email, owner.email),
        ("note-added", owner.email, None),
    ]


def _entered(backend: Backend, run: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    """Acts on notes of the run, the latest first: by whom, and whose note it was. No text of a note is among them."""
    acts = ["note-added", "note-edited", "note-deleted"]
    items = backend.person().client.get("/audit", params={"act": acts, "limit": 200}).json()["items"]
    own = [item for item in items if item["object_id"] == run["id"]]
    assert all(item["detail"].keys() <= {"note", "trial_id", "t_s", "author", "written_at"} for item in own)
    return [(item["act"], item["actor_name"], item["detail"].get("author")) for item in own]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": " \n "}, "text"),
        ({"text": "a\u202eb"}, "text"),
        ({"text": "a\x00b"}, "text"),
        ({"text": "x" * (MOST_CHARACTERS + 1)}, "text"),
        ({"text": "x", "t_s": 1}, ""),
        ({"text": "x", "t_s": 1e9}, "t_s"),
        ({"text": "x", "trial_id": "no-id"}, "trial_id"),
        ({"text": "x", "author": "somebody else"}, "author"),
    ],
)
def test_what_is_no_note_is_refused(owner: Person, run: dict[str, Any], body: dict[str, Any], field: str) -> None:
    refused = owner.client.post(f"/runs/{run['id']}/notes", json=body)
    assert refused.status_code == 422
    assert [error["field"] for error in refused.json()["errors"]] == [field]


def test_a_place_must_be_one_of_the_run(backend: Backend, owner: Person, run: dict[str, Any]) -> None:
    other = owner.client.get(f"/runs/{owner.run(backend.agent())['id']}").json()["trials"][0]["id"]
    path = f"/runs/{run['id']}/notes"
    refused = owner.client.post(path, json={"text": "x", "trial_id": other})
    assert (refused.status_code, refused.json()["code"]) == (422, "trial-of-another-run")
    outside = {"text": "x", "trial_id": run["trials"][0]["id"], "t_s": run["plan"]["measure_s"] + 1}
    refused = owner.client.post(path, json=outside)
    assert (refused.status_code, refused.json()["code"]) == (422, "moment-outside-trial")
    assert owner.client.post("/runs/00000000-0000-4000-8000-000000000000/notes", json={"text": "x"}).status_code == 404
    assert _notes(owner, run) == []


def test_a_run_has_a_bounded_number(owner: Person, run: dict[str, Any]) -> None:
    for number in range(MOST_OF_A_RUN):
        _add(owner, run, text=f"Note {number}")
    refused = owner.client.post(f"/runs/{run['id']}/notes", json={"text": "one more"})
    assert (refused.status_code, refused.json()["code"]) == (409, "too-many-notes")
    assert [note["text"] for note in _notes(owner, run)] == [f"Note {number}" for number in range(MOST_OF_A_RUN)]
