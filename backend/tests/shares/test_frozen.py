"""A link shows what its owner read when it was made or refreshed, whatever becomes of the run."""

from typing import Any
from uuid import UUID

import pytest
from exports.measured import ADDRESS, FOLDER, Finished
from harness import INSTALLED, Backend, english
from ngxlab.core.errors import Conflict
from ngxlab.exports.service import export
from ngxlab.reports.schemas import Report
from ngxlab.shares import snapshots
from retention.rounds import look_until
from sqlalchemy import text

pytestmark = pytest.mark.timeout(600)  # each run is measured
_MOVED = "was chosen after the run"


@pytest.fixture
def finished(backend: Backend) -> Finished:
    return Finished(backend)


def _shown(finished: Finished, token: str) -> Any:
    return finished.backend.client().get(f"/shared/{token}").raise_for_status().json()


def _listed(finished: Finished) -> Any:
    (share,) = finished.get("/shares").raise_for_status().json()["items"]
    return share


def _move_window(finished: Finished) -> None:
    finished.person.client.put(f"/runs/{finished.id}/window", json={"start_s": 0, "end_s": 1}).raise_for_status()


def _copies(finished: Finished, share_id: str) -> int:
    query = text("SELECT count(*) FROM share_copy WHERE share_id = :id")
    count: int = finished.backend.operator(lambda session: session.scalar(query, {"id": UUID(share_id)}))
    return count


def test_words_and_files_change_only_when_the_owner_refreshes(finished: Finished) -> None:
    token = finished.share()
    before, file = _shown(finished, token), f"/shared/{token}/exports/report.md"
    written = finished.backend.client().get(file).raise_for_status().text
    assert before["as_of"] == _listed(finished)["as_of"]
    assert not _listed(finished)["is_outdated"]
    _move_window(finished)
    assert _MOVED in english(finished.get("/report").json()["analysis"]["headline"])
    assert _shown(finished, token) == before
    assert finished.backend.client().get(file).text == written
    share = _listed(finished)
    assert share["is_outdated"]
    refreshed = finished.person.client.post(f"/shares/{share['id']}/refresh").raise_for_status().json()
    assert refreshed["as_of"] > before["as_of"]
    assert not refreshed["is_outdated"]
    after = _shown(finished, token)
    assert (after["as_of"], _MOVED in english(after["analysis"]["headline"])) == (refreshed["as_of"], True)
    assert finished.backend.client().get(file).text != written
    assert _listed(finished) | {"opened": 0, "last_opened_at": None} == refreshed | {
        "opened": 0,
        "last_opened_at": None,
    }


def test_what_is_kept_tells_no_address_no_folder_and_no_person(finished: Finished) -> None:
    finished.share()
    query = text("SELECT content FROM share_copy WHERE share_id = :id")
    share_id = UUID(_listed(finished)["id"])
    content: bytes = finished.backend.operator(lambda session: session.scalar(query, {"id": share_id}))
    kept = snapshots.unpacked(Report, content).model_dump_json()
    assert finished.id in kept
    assert not [told for told in (ADDRESS, FOLDER, INSTALLED, finished.person.email) if told in kept]
    assert '"<folder>/ngxlab-openloop"' in kept
    assert len(content) < len(kept) / 3


def test_a_run_that_goes_on_is_followed_to_its_end(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = person.run(agent, blocks=1)
    path = f"/runs/{run['id']}/shares"
    token = person.client.post(path, json={}).raise_for_status().json()["url"].rpartition("/")[2]
    stranger = backend.client()
    assert stranger.get(f"/shared/{token}").json()["as_of"] is None
    coordinator.lease(run["id"]).raise_for_status()
    measured = 0
    while (step := coordinator.next(run["id"]))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"])
        measured += 1
        assert len(stranger.get(f"/shared/{token}").json()["trials"]) == measured
    ended = stranger.get(f"/shared/{token}").json()
    assert ended["run"]["state"] == "completed"
    (share,) = person.client.get(path).json()["items"]
    assert ended["as_of"] == share["as_of"] is not None


def test_a_file_of_a_link_is_made_once(finished: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[str]()

    async def counted(*told: Any, **asked: Any) -> Any:
        made.append(told[3])
        return await export(*told, **asked)

    monkeypatch.setattr("ngxlab.exports.router.export", counted)
    file = f"/shared/{finished.share()}/exports/report.md"
    first = finished.backend.client().get(file).raise_for_status().text
    assert finished.backend.client().get(file).text == first
    assert made == ["report.md"]
    _move_window(finished)
    finished.person.client.post(f"/shares/{_listed(finished)['id']}/refresh").raise_for_status()
    assert finished.backend.client().get(file).text != first
    assert made == ["report.md"] * 2


def test_nothing_is_kept_for_a_link_that_has_ended(finished: Finished) -> None:
    finished.share()
    share = _listed(finished)
    assert _copies(finished, share["id"]) == 1
    finished.person.client.delete(f"/shares/{share['id']}").raise_for_status()
    assert _copies(finished, share["id"]) == 0
    refused = finished.person.client.post(f"/shares/{share['id']}/refresh")
    assert (refused.status_code, refused.json()["code"]) == (404, "unknown-link")
    finished.share(label="expires", expires_in_days=1)
    (share,) = [one for one in finished.get("/shares").json()["items"] if one["label"]]
    expired = text("UPDATE share SET expires_at = now() WHERE id = :id")
    finished.backend.operator(lambda session: session.execute(expired, {"id": UUID(share["id"])}))
    look_until(finished.backend, lambda: _copies(finished, share["id"]) == 0, "the end of an expired link's copy")


def test_what_links_show_counts_as_storage(finished: Finished) -> None:
    finished.share()
    query = text("SELECT sum(length(content)) FROM share_copy")
    length: int = finished.backend.operator(lambda session: session.scalar(query))
    assert finished.backend.person().client.get("/storage").json()["shared_bytes"] >= length > 0


def test_a_copy_that_cannot_be_read_is_said_to_be_so_and_can_be_refreshed(finished: Finished) -> None:
    token = finished.share()
    share_id = _listed(finished)["id"]
    spoil = text("UPDATE share_copy SET content = '\\x00' WHERE share_id = :id")
    finished.backend.operator(lambda session: session.execute(spoil, {"id": UUID(share_id)}))
    refused = finished.backend.client().get(f"/shared/{token}")
    assert (refused.status_code, refused.json()["code"]) == (409, "unreadable")
    finished.person.client.post(f"/shares/{share_id}/refresh").raise_for_status()
    assert _shown(finished, token)["run"]["id"] == finished.id


def test_more_than_a_link_may_keep_is_refused(finished: Finished, monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report.model_validate(finished.get("/report").json())
    content = snapshots.packed(report)
    assert snapshots.unpacked(Report, content) == report
    monkeypatch.setattr(snapshots, "_MOST_BYTES", len(report.model_dump_json()) - 1)
    with pytest.raises(Conflict, match="Export it instead"):
        snapshots.packed(report)
    with pytest.raises(Conflict, match="cannot be read"):
        snapshots.unpacked(Report, content)
