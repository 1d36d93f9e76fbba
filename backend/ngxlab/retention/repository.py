"""SQL of what is kept."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.experiments.models import Experiment, ExperimentVersion
from ngxlab.metrics.models import DerivedSeriesRow, DiscardedTrial, StagedRun
from ngxlab.metrics.repository import discard
from ngxlab.retention.models import Backup, HostHistoryDeletion
from ngxlab.runs.calibration.models import Calibration
from ngxlab.runs.models import Run, RunImport, Trial
from ngxlab.runs.repository import announce
from ngxlab.schedules.models import Schedule
from ngxlab.shares.models import Share, SharedRun
from ngxlab.shares.repository import end_all, shows_charts, works

_UNMEASURED = (Run.finished_at.is_not(None), Run.raw_bytes.is_(None))
_UNPACKED = (Run.finished_at.is_not(None), Run.packed_at.is_(None), Run.raw_removed_at.is_(None))


async def delete_run(session: AsyncSession, run: Run) -> None:
    """The run with what refers to it. Its raw data, which may be large, is given up and removed afterwards."""
    await discard_raw_data(session, run.id)
    await announce(session, run.id)
    raising = update(Experiment).where(Experiment.id == run.experiment_id)
    await session.execute(raising.values(deleted_number=func.greatest(Experiment.deleted_number, run.number)))
    await end_all(session, run.id)
    await session.execute(delete(Run).where(Run.id == run.id))


async def lock_experiment(session: AsyncSession, experiment_id: UUID) -> int:
    """No run of it can be started until the end of the transaction. How many there are."""
    await session.execute(select(Experiment.id).where(Experiment.id == experiment_id).with_for_update())
    return await session.scalar(select(func.count(Run.id)).where(Run.experiment_id == experiment_id)) or 0


async def lock_runs(session: AsyncSession, experiment_id: UUID) -> list[Run]:
    query = select(Run).where(Run.experiment_id == experiment_id).order_by(Run.number)
    return list(await session.scalars(query.with_for_update(of=Run)))


async def calibrates(session: AsyncSession, experiment_id: UUID) -> bool:
    return await session.scalar(select(exists().where(Calibration.experiment_id == experiment_id))) or False


async def count_links(session: AsyncSession, experiment_id: UUID) -> int:
    """The number of links that work now and show the experiment's trends, or something of its runs."""
    of_runs = select(SharedRun.share_id).join(Run, Run.id == SharedRun.run_id).where(Run.experiment_id == experiment_id)
    shows = or_(Share.experiment_id == experiment_id, Share.id.in_(of_runs))
    return await session.scalar(select(func.count(Share.id)).where(shows, *works())) or 0


async def delete_experiment(session: AsyncSession, experiment_id: UUID) -> None:
    """One without runs and calibrations, with its schedules, links and versions."""
    for table in (Schedule, Share, ExperimentVersion):
        await session.execute(delete(table).where(table.experiment_id == experiment_id))
    await session.execute(delete(Experiment).where(Experiment.id == experiment_id))


def is_any_left(now: ColumnElement[datetime], pack_after: timedelta, derived_by: str) -> ColumnElement[bool]:
    """Whether there is raw data to remove or to pack, a history to delete, a run to measure, or series to derive
    again: asked all the time.

    ``pack_after``: how long ago a run that is to be packed has ended.
    """
    left = (
        exists().select_from(DiscardedTrial),
        exists().where(StagedRun.until < now),
        exists().select_from(HostHistoryDeletion),
        exists().where(*_UNMEASURED),
        exists().where(*_UNPACKED, Run.finished_at < now - pack_after),
        exists().where(DerivedSeriesRow.key == "", DerivedSeriesRow.derived_by != derived_by),
    )
    return or_(*left)


async def unpacked(session: AsyncSession, ended_before: datetime) -> UUID | None:
    """The run that has waited longest to be packed, locked: another process takes another one."""
    query = select(Run.id).where(*_UNPACKED, Run.finished_at < ended_before).order_by(Run.finished_at).limit(1)
    return await session.scalar(query.with_for_update(of=Run, skip_locked=True))


async def note_packed(session: AsyncSession, run_id: UUID, now: datetime) -> None:
    """Its raw data takes less now, which is to be measured again."""
    await session.execute(update(Run).where(Run.id == run_id).values(packed_at=now, raw_bytes=None))


async def unmeasured(session: AsyncSession) -> tuple[UUID, datetime] | None:
    """The run that has waited longest since its end for its raw data to be measured, and when it ended."""
    query = select(Run.id, Run.finished_at).where(*_UNMEASURED)
    row = (await session.execute(query.order_by(Run.finished_at).limit(1))).one_or_none()
    return (row[0], row[1]) if row is not None and row[1] is not None else None


async def trial_ids(session: AsyncSession, run_id: UUID) -> Sequence[UUID]:
    return (await session.scalars(select(Trial.id).where(Trial.run_id == run_id))).all()


async def keep_size(session: AsyncSession, run_id: UUID, finished_at: datetime, raw_bytes: int) -> None:
    """Unless the run has gone on since it ended at ``finished_at``."""
    ended = update(Run).where(Run.id == run_id, Run.finished_at == finished_at, Run.raw_bytes.is_(None))
    await session.execute(ended.values(raw_bytes=raw_bytes))


async def largest(session: AsyncSession, limit: int) -> Sequence[Run]:
    """The runs whose raw data takes most."""
    query = select(Run).where(Run.raw_bytes > 0).order_by(Run.raw_bytes.desc(), Run.id).limit(limit)
    return (await session.scalars(query)).all()


async def discard_raw_data(session: AsyncSession, run_id: UUID) -> None:
    await discard(session, select(Trial.id).where(Trial.run_id == run_id))


async def count_discarded(session: AsyncSession) -> int:
    """Trials whose raw data is still to be removed."""
    return await session.scalar(select(func.count(DiscardedTrial.trial_id))) or 0


async def count_unmeasured(session: AsyncSession) -> int:
    query = select(func.count(Run.id)).where(*_UNMEASURED)
    return await session.scalar(query) or 0


async def oldest_expired(session: AsyncSession, before: datetime, spared: Collection[UUID]) -> UUID | None:
    """The run that ended first of those that ended, and came here, before then, and whose raw data nothing protects."""
    protected = (
        shows_charts(Run.id),
        exists().where(Calibration.run_id == Run.id),
        exists().where(RunImport.run_id == Run.id, RunImport.imported_at >= before),
    )
    query = select(Run.id).where(Run.finished_at < before, Run.raw_bytes > 0, Run.raw_removed_at.is_(None))
    query = query.where(~Run.starred, Run.id.not_in(spared), *(~one for one in protected))
    return await session.scalar(query.order_by(Run.finished_at).limit(1))


_BACKUPS_KEPT = 400


async def note_backup(session: AsyncSession, made: Backup) -> None:
    """Enter a backup, and forget the oldest."""
    session.add(made)
    await session.flush()
    kept = select(Backup.id).order_by(Backup.made_at.desc()).limit(_BACKUPS_KEPT)
    await session.execute(delete(Backup).where(Backup.id.not_in(kept)))


async def last_backup(session: AsyncSession, file: str | None = None) -> Backup | None:
    """The newest one; of those in ``file``, if it is given."""
    query = select(Backup).order_by(Backup.made_at.desc()).limit(1)
    return await session.scalar(query if file is None else query.where(Backup.file == file))


async def last_proof(session: AsyncSession) -> datetime | None:
    """When a backup was last restored as a proof, and could be."""
    return await session.scalar(select(func.max(Backup.proven_at)).where(Backup.trouble.is_(None)))
