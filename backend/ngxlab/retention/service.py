"""Delete runs, and star those that are worth keeping."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Actor, record
from ngxlab.core.errors import Conflict, NotFound
from ngxlab.retention import repository
from ngxlab.runs import repository as runs
from ngxlab.runs.announce import announce
from ngxlab.runs.audited import run_object
from ngxlab.runs.models import Run
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.schemas import RunSummary
from ngxlab.runs.states import RunState
from ngxlab.shares.repository import count_working


async def delete(session: AsyncSession, caller: Caller, run_id: UUID, *, end_links: bool) -> None:
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
    await remove(session, run, caller.actor)


async def remove(session: AsyncSession, run: Run, by: Actor) -> None:
    """A locked run that is over, and the links that show it."""
    links = await count_working(session, run.id)
    trials = await repository.trial_ids(session, run.id)
    was, raw_bytes = run_summary(run), run.raw_bytes
    await repository.delete_run(session, run)
    await record(
        session, by, Act.run_deleted, run_object(was),
        state=was.state, version=was.version, hosts=was.hosts, headline=was.headline, started_by=was.created_by,
        created_at=was.created_at.isoformat(), trials=len(trials), raw_bytes=raw_bytes, links_ended=links or None,
    )  # fmt: skip


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
