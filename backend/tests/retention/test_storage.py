"""What raw data takes is measured once, shown, and given back bit by bit."""

import asyncio
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import pytest
from exports.measured import Finished
from harness import Backend
from ngxlab.core.config import Settings
from ngxlab.metrics.models import DiscardedTrial, FrameRow, LayoutRow, TrialEventRow
from ngxlab.metrics.repository import discard, remove_some
from ngxlab.runs.models import Trial
from retention.rounds import look_until
from services import wait_until
from sqlalchemy import Delete, func, literal, select, text
from sqlalchemy.ext.asyncio import AsyncSession

_STORED = text("""
    SELECT sum(size) FROM (
        SELECT pg_column_size(values) AS size FROM frame WHERE trial_id = ANY(:trials)
        UNION ALL SELECT pg_column_size(histogram) FROM latency_interval WHERE trial_id = ANY(:trials)
        UNION ALL SELECT pg_column_size(event) FROM trial_event WHERE trial_id = ANY(:trials)
    ) AS value
""")
_ROWS = text("""
    SELECT count(*) FROM (
        SELECT id FROM frame WHERE trial_id = ANY(:trials)
        UNION ALL SELECT id FROM latency_interval WHERE trial_id = ANY(:trials)
        UNION ALL SELECT id FROM trial_event WHERE trial_id = ANY(:trials)
    ) AS stored
""")


def test_a_run_that_is_over_says_what_it_takes(empty_lab: Backend) -> None:
    """Where no run of another test waits to be measured before it, or takes more."""
    finished = Finished(empty_lab)
    look_until(empty_lab, lambda: finished.get().json()["raw_bytes"] is not None, "measuring the run")
    run = finished.get().json()
    trials = {"trials": [UUID(trial["id"]) for trial in run["trials"]]}
    values, rows = empty_lab.operator(lambda session: _sums(session, trials))
    assert values < run["raw_bytes"] < values + rows * 250, "each row has a header, ids and two entries in indexes"
    shown = empty_lab.person().client.get("/storage").raise_for_status().json()
    assert shown["database_bytes"] > shown["raw_bytes"] > 0
    assert shown["keep_raw_days"] is None
    (listed,) = [one for one in shown["largest"] if one["id"] == finished.id]
    assert (listed["raw_bytes"], listed["starred"]) == (run["raw_bytes"], False)


async def _sums(session: AsyncSession, trials: dict[str, list[UUID]]) -> tuple[int, int]:
    return await session.scalar(_STORED, trials) or 0, await session.scalar(_ROWS, trials) or 0


def test_a_run_that_has_not_ended_takes_nothing_that_is_known(backend: Backend) -> None:
    person = backend.person()
    run_id = person.run(backend.agent())["id"]
    assert person.client.get(f"/runs/{run_id}").json()["raw_bytes"] is None


def test_raw_data_is_removed_in_bounded_steps_and_no_other(empty_lab: Backend) -> None:
    given_up, other = uuid4(), uuid4()

    async def work(session: AsyncSession) -> tuple[list[int], int]:
        """Unseen by the server's own upkeep, since nothing of it is committed before the end."""
        for trial_id in (given_up, other):
            at = {"trial_id": trial_id, "host_id": uuid4(), "live_seq": 0}
            session.add_all(FrameRow(**at, layout=0, t_us=n, took_us=1, values=[1.0]) for n in range(5))
            session.add_all(TrialEventRow(**at, t_us=n, event={}) for n in range(3))
        await session.flush()
        await discard(session, select(literal(given_up, Trial.id.type)))
        left = [await _rows(session, given_up)]
        while await remove_some(session, rows=2):
            left.append(await _rows(session, given_up))
        return left, await _rows(session, other)

    async def _rows(session: AsyncSession, trial_id: UUID) -> int:
        tables = (FrameRow, TrialEventRow)
        counts = [await session.scalar(select(func.count(t.id)).where(t.trial_id == trial_id)) for t in tables]
        return sum(count or 0 for count in counts)

    left, kept = empty_lab.operator(work)
    assert (left[0], left[-1], kept) == (8, 0, 8)
    assert all(0 <= before - after <= 2 for before, after in pairwise(left))


def test_a_run_that_is_deleted_while_its_raw_data_are_removed_leaves_nothing(
    empty_lab: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Layouts stay with the trial: whoever removes the rest has found it there."""
    finished = Finished(empty_lab)
    trials = [UUID(trial["id"]) for trial in finished.get().json()["trials"]]
    layouts = select(func.count()).select_from(LayoutRow).where(LayoutRow.trial_id.in_(trials))
    of_run = select(Trial.id).where(Trial.id.in_(trials))
    left = select(func.count()).where(DiscardedTrial.trial_id.in_(trials))

    def delete() -> None:
        finished.person.client.delete(f"/runs/{finished.id}").raise_for_status()

    async def remove(session: AsyncSession) -> None:
        deleting: list[asyncio.Task[None]] = []
        execute = session.execute

        def is_on() -> bool:
            return deleting[0].done() or bool(empty_lab.operator(_waiting))

        async def meanwhile(statement: Any, *told: Any, **named: Any) -> Any:
            """It has read which trials are there, and removes nothing yet."""
            if isinstance(statement, Delete) and not deleting:
                deleting.append(asyncio.create_task(asyncio.to_thread(delete)))
                await asyncio.to_thread(wait_until, is_on, "the deletion")
            return await execute(statement, *told, **named)

        monkeypatch.setattr(session, "execute", meanwhile)
        while await session.scalar(left):
            await remove_some(session)
        await session.commit()
        await asyncio.gather(*deleting)

    empty_lab.operator(lambda session: discard(session, of_run))
    assert empty_lab.operator(lambda session: session.scalar(layouts)) > 0
    empty_lab.operator(remove)
    look_until(empty_lab, lambda: not empty_lab.operator(lambda session: session.scalar(left)), "the removal")
    assert empty_lab.operator(lambda session: session.scalar(layouts)) == 0


async def _waiting(session: AsyncSession) -> bool:
    of_ours = "datname = current_database() AND wait_event_type = 'Lock'"
    return bool(await session.scalar(text(f"SELECT count(*) FROM pg_stat_activity WHERE {of_ours}")))


def test_an_empty_setting_is_no_rule(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    given = settings.model_dump(by_alias=True, exclude={"keep_raw_days"})
    for given_as, days in (("", None), ("90", 90)):
        monkeypatch.setenv("NGXLAB_KEEP_RAW_DAYS", given_as)
        assert Settings(**given).keep_raw_days == days
