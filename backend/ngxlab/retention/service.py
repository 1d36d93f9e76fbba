"""Delete runs, and star those that are worth keeping."""

from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.core.errors import Conflict, NotFound
from ngxlab.retention import repository
from ngxlab.runs import repository as runs
from ngxlab.runs.announce import announce
from ngxlab.runs.models import Run
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.schemas import RunSummary
from ngxlab.runs.states import RunState
from ngxlab.shares.repository import count_working


class Deleted(NamedTuple):
    """What it was. ``links``: how many that worked have ended with it."""

    run: RunSummary
    trials: int
    links: int
    raw_bytes: int | None


async def delete(session: AsyncSession, caller: Caller, run_id: UUID, *, end_links: bool) -> Deleted:
    """For good: the run with its trials, results, files, windows and links. A calibration that came of it stays.

    Raises Conflict while it goes on, and, unless ``end_links``, while links show it.
    """
    run = await _locked(session, run_id)
    require_owner(caller, run.created_by, "run")
    await require_over(session, run)
    links = await count_working(session, run_id)
    if links and not end_links:
        what = "A link shows it" if links == 1 else f"{links} links show it"
        raise Conflict(f"{what}. Revoke what is shared first, or confirm that it ends with the run.", code="run-shared")
    trials = await repository.trial_ids(session, run_id)
    deleted = Deleted(run_summary(run), len(trials), links, run.raw_bytes)
    await repository.delete_run(session, run)
    return deleted


async def require_over(session: AsyncSession, run: Run) -> None:
    """Raises Conflict while the run goes on, or a host is still at a trial of it."""
    if not RunState(run.state).final:
        detail = f"The run is {run.state}. Cancel it first, or wait for its end."
        raise Conflict(detail, code=f"run-{run.state}")
    if await runs.ids_of_unfinished_trials(session, run.id):
        raise Conflict("A host is still at a trial of this run. Try again in a minute.", code="trial-under-way")


async def star(session: AsyncSession, run_id: UUID, *, starred: bool) -> RunSummary | None:
    """Mark a run as worth keeping, or take the mark away. ``None`` where that is so already."""
    run = await _locked(session, run_id)
    if run.starred == starred:
        return None
    run.starred = starred
    await session.flush()
    await announce(session, run_id)
    return run_summary(run)


async def _locked(session: AsyncSession, run_id: UUID) -> Run:
    run = await runs.lock_run(session, run_id)
    if run is None:
        raise NotFound("There is no such run.")
    return run
