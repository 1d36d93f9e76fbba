"""SQL of notes."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.notes.models import Note


async def lock_note(session: AsyncSession, note_id: UUID) -> Note | None:
    """The note, locked until the end of the transaction."""
    return await session.scalar(select(Note).where(Note.id == note_id).with_for_update(of=Note))


async def of_run(session: AsyncSession, run_id: UUID) -> Sequence[Note]:
    """Notes on the run and its trials, in the order in which they were written."""
    query = select(Note).where(Note.run_id == run_id).order_by(Note.created_at, Note.id)
    return (await session.scalars(query)).all()


async def count(session: AsyncSession, run_id: UUID) -> int:
    return await session.scalar(select(func.count(Note.id)).where(Note.run_id == run_id)) or 0
