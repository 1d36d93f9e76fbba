"""The rule by age: raw data of old runs goes, what was concluded from it stays."""

from datetime import timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.acts import Act
from ngxlab.audit.record import Actor, record, system
from ngxlab.core.clock import utcnow
from ngxlab.retention import repository
from ngxlab.runs import repository as runs
from ngxlab.runs.announce import announce
from ngxlab.runs.audit_entries import run_object
from ngxlab.runs.models import Run
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import computed


async def apply_next(session: AsyncSession, days: int | None, unreadable: set[UUID]) -> bool:
    """Give up the raw data of one run that is older than ``days``; whether there was one. ``None``: there is no rule.

    Starred and shared runs are spared, and those from which a calibration came. Verdict, summaries, checks and kept
    files stay: the run is analysed once more before, so that all of them are stored. One that cannot be analysed is
    spared, too, and added to ``unreadable``: a newer version may read it.
    """
    if days is None:
        return False
    expired = await repository.oldest_expired(session, utcnow() - timedelta(days=days), unreadable)
    run = await runs.lock_run(session, expired) if expired is not None else None
    if run is None or run.starred or run.raw_removed_at is not None:
        return run is not None
    if not await remove_raw(session, run, system("rule by age"), days):
        unreadable.add(run.id)
    return True


async def remove_raw(session: AsyncSession, run: Run, by: Actor, days: int | None) -> bool:
    """Remove a locked run's raw data; whether it was analysed once more before. ``days``: the rule's age, if any."""
    if (await analyse(session, run, computed)).unreadable:
        return False
    freed, run.raw_bytes = run.raw_bytes, 0
    run.raw_removed_at, run.raw_removed_days = utcnow(), days
    await repository.discard_raw_data(session, run.id)
    await session.flush()
    await announce(session, run.id)
    await record(session, by, Act.raw_data_removed, run_object(run_summary(run)), days=days, raw_bytes=freed)
    return True
