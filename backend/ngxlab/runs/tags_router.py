"""PATCH /runs/ID/tags."""

from typing import NamedTuple
from uuid import UUID

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, Experimenter, require_owner
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Invalid, NotFound
from ngxlab.runs import repository
from ngxlab.runs.announce import announce
from ngxlab.runs.audit_entries import run_object
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.schemas import RunSummary, RunTags, TagChange
from ngxlab.runs.tags import MOST_OF_A_RUN


class Tagged(NamedTuple):
    """The run as it is now, and what was changed."""

    run: RunSummary
    added: list[str]
    removed: list[str]


async def change(session: AsyncSession, caller: Caller, run_id: UUID, asked: TagChange) -> Tagged:
    """Its author or an administrator may. Raises Invalid where the run would have too many tags."""
    run = await repository.lock_run(session, run_id)
    if run is None:
        raise NotFound("There is no such run.")
    require_owner(caller, run.created_by, "run")
    before = set(run.tags)
    after = (before - set(asked.remove)) | set(asked.add)
    if len(after) > MOST_OF_A_RUN:
        raise Invalid(f"A run has at most {MOST_OF_A_RUN} tags. Remove others first.", code="too-many-tags")
    if after != before:
        run.tags = sorted(after)
        await session.flush()
        await announce(session, run_id)
    return Tagged(run_summary(run), sorted(after - before), sorted(before - after))


router = APIRouter(route_class=GuardedRoute, tags=["runs"])


@router.patch("/runs/{run_id:uuid}/tags")
async def tag_run(run_id: UUID, body: TagChange, session: SessionDep, caller: Experimenter) -> RunTags:
    """Add tags to one of your own runs, and remove others: short words by which everybody finds it."""
    run, added, removed = await change(session, caller, run_id, body)
    if added or removed:
        await record(
            session, caller.actor, Act.run_tagged, run_object(run), added=added or None, removed=removed or None
        )
    return RunTags(tags=run.tags)
