"""SQL of chosen windows."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.runs.windows.models import WindowChange


async def changes(session: AsyncSession, run_id: UUID) -> Sequence[WindowChange]:
    """Of a run and of its trials, in their order."""
    query = select(WindowChange).where(WindowChange.run_id == run_id).order_by(WindowChange.id)
    return (await session.scalars(query)).all()
