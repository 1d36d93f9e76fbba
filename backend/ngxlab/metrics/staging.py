"""Raw data of a run that is not here yet: stored by many short transactions, and made the run's by one.

Raw data have no keys to their trials, so they may lie there before these: nobody asks for trials that are not here.
At every moment, what lies there is under a claim (:class:`StagedRun`) or discarded:

- each transaction that stores some of it holds the claim until its end (:func:`hold`);
- the one that stores the trials ends the claim (:func:`end`);
- a claim that is given up becomes discarded trials, all of them in one transaction (:func:`give_up`), so that nothing
  of them is removed while the claim is there.

So whoever still finds the claim finds all that was stored under it, and nothing stays of who was killed.
"""

from uuid import UUID

from sqlalchemy import ARRAY, ColumnElement, Uuid, delete, func, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.errors import Conflict
from ngxlab.metrics.models import StagedRun
from ngxlab.metrics.repository import discard


async def hold(session: AsyncSession, staged_id: UUID) -> None:
    """Until the end of the transaction, nobody gives the claim up. Raises Conflict where somebody has."""
    held = select(StagedRun.id).where(StagedRun.id == staged_id).with_for_update(read=True)
    if await session.scalar(held) is None:
        raise _given_up()


async def end(session: AsyncSession, staged_id: UUID) -> None:
    """The trials come in this transaction. Raises Conflict where the claim was given up before."""
    ended = delete(StagedRun).where(StagedRun.id == staged_id).returning(StagedRun.id)
    if await session.scalar(ended) is None:
        raise _given_up()


async def give_up(session: AsyncSession, which: ColumnElement[bool]) -> None:
    """What was stored under these claims is removed from now on."""
    for trials in (await session.scalars(delete(StagedRun).where(which).returning(StagedRun.trials))).all():
        await discard(session, select(func.unnest(literal(trials, ARRAY(Uuid)))))


def _given_up() -> Conflict:
    return Conflict("This took too long, and was given up. Try again in some minutes.", code="given-up")
