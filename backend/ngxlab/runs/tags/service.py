"""Change the tags of a run."""

from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.core.errors import Invalid, NotFound
from ngxlab.runs import repository
from ngxlab.runs.announce import announce
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.schemas import RunSummary
from ngxlab.runs.tags.schemas import TagChange
from ngxlab.runs.tags.tag import MOST_OF_A_RUN


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
