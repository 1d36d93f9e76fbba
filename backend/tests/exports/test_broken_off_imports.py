"""An import that is killed, or given up, at any moment: its run is here whole, or nothing of it stays."""

import asyncio
import json
import sys
from typing import Any
from uuid import UUID

import pytest
from exports.archives import files_of, take_in, with_other_ids
from exports.measured import Finished
from harness import Backend, Person
from ngxlab.core.clock import utcnow
from ngxlab.exports.archive import importing, layout, staging
from ngxlab.metrics.models import (
    ArtefactRow,
    FrameBlockRow,
    FrameRow,
    IntervalBlockRow,
    LatencyIntervalRow,
    LayoutRow,
    StagedRun,
    TrialEventRow,
)
from ngxlab.metrics.repository import remove_some
from ngxlab.metrics.staging import give_up
from ngxlab.runs.results.analysis import analyse
from retention.rounds import look_until
from services import wait_until
from sqlalchemy import func, select, text, true, update
from sqlalchemy.ext.asyncio import AsyncSession

pytestmark = [pytest.mark.timeout(600), pytest.mark.usefixtures("imports_here")]
_IN_OWN_PROCESS = importing.in_own_process
"""Of those that are killed; the others need none."""

_ROWS: dict[str, Any] = {
    layout.LAYOUTS: LayoutRow,
    layout.FRAMES: FrameRow,
    layout.INTERVALS: LatencyIntervalRow,
    layout.EVENTS: TrialEventRow,
    layout.ARTEFACTS: ArtefactRow,
}
_PACKED: dict[str, tuple[Any, str]] = {
    layout.FRAMES: (FrameBlockRow, "readings"),
    layout.INTERVALS: (IntervalBlockRow, "intervals"),
}
_DRIVER = """
import os, sys
from ngxlab.exports.archive import importing, staging

staging._BATCHES_AT_A_TIME = 2
places = {{"importing": importing, "staging": staging, "Database": importing.Database}}
module, name, calls = places[{module!r}], {name!r}, iter(range({before}))
function = getattr(module, name)

def killing(*told, **named):
    if next(calls, None) is None:
        os.kill(os.getpid(), 9)
    return function(*told, **named)

setattr(module, name, killing)
importing.main()
"""
_KILLED: dict[str, tuple[str, str, int]] = {
    "while it reads": ("importing", "require_matching", 0),
    "once it has claimed": ("importing", "stage", 0),
    "between two transactions": ("staging", "hold", 2),
    "within a transaction": ("staging", "store_batch", 5),
    "once all raw data are stored": ("importing", "store", 0),
    "before it commits": ("importing", "recorded", 0),
}
"""The module, its function, and how often that is called before."""
_BEFORE_ANY_ROW = {"while it reads", "once it has claimed"}


@pytest.fixture(scope="module")
def original(finished: Finished) -> bytes:
    return finished.export("run.zip")


@pytest.fixture
def archive(original: bytes) -> bytes:
    """Of a run that is not here."""
    return with_other_ids(original)


def _trials(archive: bytes) -> list[UUID]:
    return [UUID(json.loads(line)["id"]) for line in files_of(archive)[layout.TRIALS].splitlines()]


def _lines(archive: bytes) -> dict[str, int]:
    return {name: len(files_of(archive)[name].splitlines()) for name in _ROWS}


def _rows(backend: Backend, archive: bytes) -> dict[str, int]:
    trials = _trials(archive)

    async def count(session: AsyncSession) -> dict[str, int]:
        counts = {}
        for name, row in _ROWS.items():
            counts[name] = await session.scalar(select(func.count()).where(row.trial_id.in_(trials))) or 0
        for name, (block, number) in _PACKED.items():
            packed = select(func.sum(getattr(block, number))).where(block.trial_id.in_(trials))
            counts[name] += await session.scalar(packed) or 0
        return counts

    found: dict[str, int] = backend.operator(count)
    return found


def _claims(backend: Backend) -> int:
    """Without those that were given up, which count for a day."""
    held = select(func.count(StagedRun.id)).where(func.cardinality(StagedRun.hosts) > 0)
    found: int = backend.operator(lambda session: session.scalar(held))
    return found


def _run_id(archive: bytes) -> str:
    return str(json.loads(files_of(archive)[layout.RUN])["id"])


def _is_whole(person: Person, backend: Backend, archive: bytes) -> None:
    """Nothing is lost, and nothing doubled."""
    assert _rows(backend, archive) == _lines(archive)
    report = person.client.get(f"/runs/{_run_id(archive)}/report").raise_for_status().json()
    assert report["unreadable"] == []
    again = take_in(person, archive)
    assert (again.status_code, again.json()["code"]) == (409, "run-exists")


def _comes_after_all(finished: Finished, archive: bytes) -> None:
    """What it left is removed, and then it can be imported."""
    backend, nothing = finished.backend, dict.fromkeys(_ROWS, 0)
    look_until(backend, lambda: _rows(backend, archive) == nothing and not _claims(backend), "the removal of its rows")
    look_until(backend, lambda: take_in(finished.person, archive).status_code == 201, "the import")
    _is_whole(finished.person, backend, archive)


def _is_killed(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, before = _KILLED[stage]
    driver = _DRIVER.format(module=module, name=name, before=before)
    monkeypatch.setattr(importing, "in_own_process", _IN_OWN_PROCESS)
    monkeypatch.setattr(importing, "_COMMAND", (sys.executable, "-c", driver))


def _parent_is_killed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(*_: Any) -> None:
        pass

    monkeypatch.setattr(importing, "give_up", nothing)


@pytest.mark.parametrize("stage", _KILLED)
def test_nothing_stays_of_an_import_that_was_killed(
    finished: Finished, archive: bytes, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    """Whoever tries again at once is told to wait, and the rest follows when its time has passed."""
    backend = finished.backend
    with monkeypatch.context() as patched:
        _is_killed(stage, patched)
        _parent_is_killed_too(patched)
        assert take_in(finished.person, archive).json()["code"] == "too-costly"
    assert finished.person.client.get(f"/runs/{_run_id(archive)}").status_code == 404
    assert any(_rows(backend, archive).values()) == (stage not in _BEFORE_ANY_ROW)
    if stage != "while it reads":
        again = take_in(finished.person, archive)
        assert (again.status_code, again.json()["code"]) == (409, "under-way")
        backend.operator(lambda session: session.execute(update(StagedRun).values(until=utcnow())))
    _comes_after_all(finished, archive)


def test_what_a_killed_import_has_stored_is_given_up_at_once(
    finished: Finished, archive: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the server itself lives, which has started it."""
    with monkeypatch.context() as patched:
        _is_killed("once all raw data are stored", patched)
        assert take_in(finished.person, archive).json()["code"] == "too-costly"
    assert _claims(finished.backend) == 0
    _comes_after_all(finished, archive)


def test_an_import_that_is_killed_after_its_commit_is_whole(
    finished: Finished, archive: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setitem(_KILLED, "after", ("Database", "close", 0))
        _is_killed("after", patched)
        assert take_in(finished.person, archive).json()["code"] == "too-costly"
    assert _claims(finished.backend) == 0
    _is_whole(finished.person, finished.backend, archive)


async def _give_up_and_remove_some(backend: Backend) -> None:
    """As another process does, when the time of the claim has passed."""
    for act in (lambda session: give_up(session, true()), lambda session: remove_some(session, 1)):
        await asyncio.to_thread(backend.operator, act)


@pytest.mark.parametrize("late", [False, True], ids=["while it stores", "once it has stored all"])
def test_a_run_whose_rows_are_being_removed_does_not_come(
    finished: Finished, archive: bytes, monkeypatch: pytest.MonkeyPatch, *, late: bool
) -> None:
    module, name, before = (importing, "store", 0) if late else (staging, "hold", 2)
    function, calls = getattr(module, name), iter(range(before))

    async def given_up_before(*told: Any) -> Any:
        if next(calls, None) is None:
            await _give_up_and_remove_some(finished.backend)
        return await function(*told)

    with monkeypatch.context() as patched:
        patched.setattr(staging, "_BATCHES_AT_A_TIME", 2)
        patched.setattr(module, name, given_up_before)
        refused = take_in(finished.person, archive)
    assert (refused.status_code, refused.json()["code"]) == (409, "given-up")
    _comes_after_all(finished, archive)


def test_nobody_gives_up_what_is_becoming_a_run(
    finished: Finished, archive: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = finished.backend
    giving_up: list[asyncio.Task[None]] = []

    async def meanwhile(*told: Any) -> Any:
        giving_up.append(asyncio.create_task(_give_up_and_remove_some(backend)))
        await asyncio.to_thread(wait_until, lambda: backend.operator(_waiting) > 0, "whoever gives it up")
        return await analyse(*told)

    with monkeypatch.context() as patched:
        patched.setattr(importing, "analyse", meanwhile)
        assert take_in(finished.person, archive).status_code == 201
    wait_until(giving_up[0].done, "whoever gave it up")
    _is_whole(finished.person, backend, archive)


async def _waiting(session: AsyncSession) -> Any:
    of_ours = "datname = current_database() AND wait_event_type = 'Lock'"
    return await session.scalar(text(f"SELECT count(*) FROM pg_stat_activity WHERE {of_ours}"))
