"""PATCH /runs/ID/tags."""

from uuid import UUID

from fastapi import APIRouter

from ngxlab.accounts.access import Experimenter
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Forbidden, Invalid, NotFound, responses
from ngxlab.runs.audited import run_object
from ngxlab.runs.tags import service
from ngxlab.runs.tags.schemas import RunTags, TagChange

router = APIRouter(route_class=GuardedRoute, tags=["runs"])


@router.patch("/runs/{run_id:uuid}/tags", responses=responses(NotFound, Forbidden, Invalid))
async def tag_run(run_id: UUID, body: TagChange, session: SessionDep, caller: Experimenter) -> RunTags:
    """Add tags to one of your own runs, and remove others: short words by which everybody finds it."""
    run, added, removed = await service.change(session, caller, run_id, body)
    if added or removed:
        await record(
            session, caller.actor, Act.run_tagged, run_object(run), added=added or None, removed=removed or None
        )
    return RunTags(tags=run.tags)
