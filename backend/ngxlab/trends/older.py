"""Runs that ended before means were kept: computed when trends are asked for, a few at a time."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.database import Database, database_of
from ngxlab.runs.results.analysis_jobs import analyse_ended, in_background

AT_ONCE = 3

_at_work: set[UUID] = set()
_failed: set[UUID] = set()


def compute_some(session: AsyncSession, run_ids: Sequence[UUID]) -> frozenset[UUID]:
    """Start with the first of them, and return those that are to come. What failed is not tried again by itself."""
    wanted = [run_id for run_id in run_ids if run_id not in _failed]
    for run_id in [one for one in wanted if one not in _at_work][: max(0, AT_ONCE - len(_at_work))]:
        _at_work.add(run_id)
        in_background(_compute(database_of(session), run_id))
    return frozenset(wanted)


async def _compute(database: Database, run_id: UUID) -> None:
    try:
        await analyse_ended(database, run_id)
    except Exception:
        _failed.add(run_id)
        raise
    finally:
        _at_work.discard(run_id)
