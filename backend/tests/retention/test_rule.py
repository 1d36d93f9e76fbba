"""The rule by age takes raw data and leaves what was concluded from it; pages are told why charts are not there."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from exports.measured import Finished
from harness import Backend
from ngxlab.core.clock import utcnow
from ngxlab.retention.service import apply_next
from retention.rounds import look_until
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_DAYS = 3000
"""No other run of these tests is as old as the ones that are made so old here."""
_AGE = text("UPDATE run SET finished_at = now() - make_interval(days => :days) WHERE id = :id")
_ROWS = text("SELECT count(*) FROM frame WHERE trial_id = ANY(:trials)")


def _old_run(backend: Backend) -> Finished:
    """Measured, so that the rule knows what it takes."""
    finished = Finished(backend)
    backend.operator(lambda session: session.execute(_AGE, {"days": _DAYS + 1, "id": finished.id}))
    look_until(backend, lambda: finished.get().json()["raw_bytes"] is not None, "measuring the run")
    return finished


def _apply(backend: Backend) -> bool:
    done: bool = backend.operator(lambda session: apply_next(session, _DAYS, set()))
    return done


def _said(report: dict[str, Any]) -> dict[str, Any]:
    return {name: report[name] for name in ("analysis", "findings", "thresholds", "outcome", "trials", "unreadable")}


def test_verdict_and_figures_stay_and_charts_say_why_they_are_gone(backend: Backend) -> None:
    finished = _old_run(backend)
    before = finished.get("/report").json()
    took = finished.get().json()["raw_bytes"]
    trials = [UUID(trial["id"]) for trial in finished.get().json()["trials"]]
    assert backend.operator(lambda session: apply_next(session, None, set())) is False, "without a rule, nothing goes"
    assert _apply(backend)
    assert not _apply(backend), "once is enough"

    async def rows(session: AsyncSession) -> int:
        return await session.scalar(_ROWS, {"trials": trials}) or 0

    look_until(backend, lambda: backend.operator(rows) == 0, "the removal of its raw data")
    after = finished.get("/report").json()
    assert _said(after) == _said(before)
    assert after["run"]["raw_removed"]["days"] == _DAYS
    run = finished.get().json()
    assert (run["raw_bytes"], run["raw_removed"]) == (0, after["run"]["raw_removed"])
    series = finished.person.client.get(f"/trials/{trials[0]}/series").raise_for_status().json()
    assert series["series"] == []
    files = finished.person.client.get(f"/trials/{trials[0]}/artefacts").raise_for_status().json()["items"]
    assert [file["name"] for file in files] == ["error.log"]
    entries = backend.person().client.get("/audit", params={"act": "raw-data-removed", "limit": 200}).json()["items"]
    (entry,) = [one for one in entries if one["object_id"] == finished.id]
    assert (entry["actor_kind"], entry["detail"]) == ("system", {"days": _DAYS, "raw_bytes": took})


def test_what_needs_raw_data_is_refused_with_the_reason(backend: Backend) -> None:
    finished = _old_run(backend)
    assert _apply(backend)
    reason = f"Raw data was removed on {utcnow():%Y-%m-%d} by the rule of {_DAYS} days."
    window = finished.person.client.put(f"/runs/{finished.id}/window", json={"start_s": 0, "end_s": 1})
    for answer in (window, finished.get("/exports/run.zip"), finished.get("/exports/histograms.hlog")):
        assert (answer.status_code, answer.json()["detail"]) == (409, reason)
    assert finished.get("/report").json()["windows"]["may_choose"] is False
    assert finished.get("/exports/data.csv").status_code == 200


def _star(finished: Finished) -> None:
    finished.person.client.put(f"/runs/{finished.id}/star").raise_for_status()


def _unstar(finished: Finished) -> None:
    finished.person.client.delete(f"/runs/{finished.id}/star").raise_for_status()


def _share(finished: Finished) -> None:
    finished.share()


def _revoke(finished: Finished) -> None:
    for share in finished.get("/shares").json()["items"]:
        finished.person.client.delete(f"/shares/{share['id']}").raise_for_status()


_CALIBRATION = text("""
    INSERT INTO calibration (
        id, run_id, experiment_id, load_key, measure_s, hosts, host_names, fingerprint, noise, taken_at
    ) SELECT id, id, experiment_id, '', 1, '{}', '{}', '{}', '[]', now() FROM run WHERE id = :id
""")


def _calibrates(finished: Finished) -> None:
    finished.backend.operator(lambda session: session.execute(_CALIBRATION, {"id": finished.id}))


def _calibrates_no_longer(finished: Finished) -> None:
    gone = text("DELETE FROM calibration WHERE run_id = :id")
    finished.backend.operator(lambda session: session.execute(gone, {"id": finished.id}))


@pytest.mark.parametrize(
    ("protect", "give_up"), [(_star, _unstar), (_share, _revoke), (_calibrates, _calibrates_no_longer)]
)
def test_what_somebody_keeps_is_spared(
    backend: Backend, protect: Callable[[Finished], None], give_up: Callable[[Finished], None]
) -> None:
    finished = _old_run(backend)
    protect(finished)
    assert not _apply(backend)
    assert finished.get().json()["raw_removed"] is None
    give_up(finished)
    assert _apply(backend)
    assert finished.get().json()["raw_removed"]["days"] == _DAYS
