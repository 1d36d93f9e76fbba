"""Raw data of a run that is not here yet: stored by many short transactions, and made the run's by one.

Raw data have no keys to their trials, so they may lie there before these: nobody asks for trials that are not here.
At every moment, what lies there is under a claim (:class:`StagedRun`) or discarded:

- each transaction that stores some of it holds the claim until its end (:func:`hold`);
- the one that stores the trials ends the claim (:func:`end`);
- a claim that is given up becomes discarded trials, all of them in one transaction (:func:`give_up`), so that nothing
  of them is removed before. What is left of it has neither trials nor hosts, and counts for another day: otherwise
  whoever breaks off one import after the other would store faster than it is removed.

So whoever still finds a claim with hosts finds all that was stored under it, and nothing stays of who was killed.
"""

from datetime import timedelta
from uuid import UUID

from sqlalchemy import ARRAY, ColumnElement, Uuid, delete, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict
from ngxlab.metrics.models import StagedRun
from ngxlab.metrics.repository import discard

_STILL_COUNTS = timedelta(days=1)
_IS_CLAIMED = func.cardinality(StagedRun.hosts) > 0
"""Each run has a host, but perhaps no trial."""


async def hold(session: AsyncSession, staged_id: UUID) -> None:
    """Until the end of the transaction, nobody gives the claim up. Raises Conflict where somebody has."""
    held = select(StagedRun.id).where(StagedRun.id == staged_id, _IS_CLAIMED).with_for_update(read=True)
    if await session.scalar(held) is None:
        raise _given_up()


async def end(session: AsyncSession, staged_id: UUID) -> None:
    """The trials come in this transaction. Raises Conflict where the claim was given up before."""
    ended = delete(StagedRun).where(StagedRun.id == staged_id, _IS_CLAIMED).returning(StagedRun.id)
    if await session.scalar(ended) is None:
        raise _given_up()


async def give_up(session: AsyncSession, which: ColumnElement[bool]) -> None:
    """What was stored under these claims is removed from now on; its size counts for another day."""
    claims = select(StagedRun).where(which).order_by(StagedRun.id).with_for_update()
    for staged in (await session.scalars(claims)).all():
        if staged.trials:
            await discard(session, select(func.unnest(literal(staged.trials, ARRAY(Uuid)))))
            staged.trials, staged.hosts, staged.until = [], [], utcnow() + _STILL_COUNTS
        elif staged.hosts or staged.until < utcnow():
            await session.delete(staged)


def _given_up() -> Conflict:
    return Conflict("This took too long, and was given up. Try again in some minutes.", code="given-up")
