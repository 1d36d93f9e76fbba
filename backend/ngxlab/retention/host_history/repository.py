"""SQL of hosts' histories."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Text, cast, delete, exists, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.retention.models import HostHistoryDeletion
from ngxlab.runs.calibration.models import Calibration
from ngxlab.runs.models import Run, RunHost, Trial
from ngxlab.runs.states import UNDER_WAY
from ngxlab.shares.repository import shows_anything

_OVER = Run.finished_at.is_not(None)
_HAS_RAW = Run.raw_removed_at.is_(None) & Run.raw_bytes.is_distinct_from(0)


def _took_part(host_id: UUID) -> ColumnElement[bool]:
    return exists().where(RunHost.run_id == Run.id, RunHost.host_id == host_id)


def _has_others(host_id: UUID) -> ColumnElement[bool]:
    return exists().where(RunHost.run_id == Run.id, RunHost.host_id != host_id)


async def parts(session: AsyncSession, host_id: UUID) -> Sequence[Row[Any]]:
    """Runs that are over, counted by what spares them, with their raw bytes."""
    of_runs = select(
        Run.starred,
        shows_anything(Run.id).label("shared"),
        _has_others(host_id).label("others"),
        _HAS_RAW.label("raw"),
        Run.raw_bytes,
    )
    runs = of_runs.where(_OVER, _took_part(host_id)).subquery()
    kinds = (runs.c.starred, runs.c.shared, runs.c.others, runs.c.raw)
    raw_bytes = func.coalesce(func.sum(runs.c.raw_bytes), 0).label("raw_bytes")
    query = select(*kinds, func.count().label("runs"), raw_bytes).group_by(*kinds).order_by(*kinds)
    return (await session.execute(query)).all()


async def count_under_way(session: AsyncSession, host_id: UUID) -> int:
    return await session.scalar(select(func.count(Run.id)).where(~_OVER, _took_part(host_id))) or 0


async def count_calibrations(session: AsyncSession, host_id: UUID) -> int:
    return await session.scalar(select(func.count(Calibration.id)).where(_calibrates(host_id))) or 0


def _calibrates(host_id: UUID) -> ColumnElement[bool]:
    return cast(Calibration.hosts, Text).contains(str(host_id))


def _chosen(deletion: HostHistoryDeletion) -> list[ColumnElement[bool]]:
    """Conditions of a run that is left to be done."""
    host_id = deletion.host_id
    chosen = [Run.finished_at <= deletion.asked_at, _took_part(host_id)]
    if not deletion.verdicts:
        chosen.append(_HAS_RAW)
    if not deletion.starred:
        chosen.append(~Run.starred)
    if not deletion.shared:
        chosen.append(~shows_anything(Run.id))
    if not deletion.others:
        chosen.append(~_has_others(host_id))
    return chosen


async def count_left(session: AsyncSession, deletion: HostHistoryDeletion, spared: Collection[UUID] = ()) -> int:
    query = select(func.count(Run.id)).where(*_chosen(deletion), Run.id.not_in(spared))
    return await session.scalar(query) or 0


async def begin(
    session: AsyncSession, host_id: UUID, asked_at: datetime, chosen: Mapping[str, bool]
) -> HostHistoryDeletion | None:
    """``None`` while an earlier one goes on."""
    beginning = insert(HostHistoryDeletion).values(host_id=host_id, asked_at=asked_at, **chosen)
    return await session.scalar(beginning.on_conflict_do_nothing().returning(HostHistoryDeletion))


async def next_deletion(session: AsyncSession) -> HostHistoryDeletion | None:
    """The oldest, locked: another process takes another one."""
    query = select(HostHistoryDeletion).order_by(HostHistoryDeletion.asked_at).limit(1)
    return await session.scalar(query.with_for_update(skip_locked=True))


async def next_run(session: AsyncSession, deletion: HostHistoryDeletion, spared: Collection[UUID]) -> Run | None:
    """The oldest that is left, at whose trials no host is any more and that nobody has locked; locked."""
    at_a_trial = exists().where(Trial.run_id == Run.id, Trial.state.in_(UNDER_WAY))
    query = select(Run).where(*_chosen(deletion), ~at_a_trial, Run.id.not_in(spared))
    query = query.order_by(Run.finished_at).limit(1).with_for_update(of=Run, skip_locked=True)
    return await session.scalar(query.execution_options(populate_existing=True))


async def delete_calibrations(session: AsyncSession, deletion: HostHistoryDeletion) -> None:
    """Delete calibrations whose run is gone; with other hosts, only where those are not spared."""
    query = select(Calibration.id, Calibration.hosts).where(_calibrates(deletion.host_id), Calibration.run_id.is_(None))
    own = {str(deletion.host_id)}
    ids = [id_ for id_, hosts in await session.execute(query) if deletion.others or set(hosts.values()) == own]
    await session.execute(delete(Calibration).where(Calibration.id.in_(ids)))
