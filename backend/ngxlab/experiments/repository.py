"""SQL of experiments and versions."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.experiments.models import Experiment, ExperimentVersion


async def experiment(session: AsyncSession, experiment_id: UUID) -> Experiment | None:
    return await session.get(Experiment, experiment_id)


async def experiments(
    session: AsyncSession, *, search: str, archived: bool, limit: int, offset: int
) -> tuple[Sequence[Experiment], int]:
    """A page, newest first, and the number of all that match."""
    query = select(Experiment).where(
        Experiment.archived_at.is_not(None) if archived else Experiment.archived_at.is_(None)
    )
    if search:
        query = query.where(Experiment.name.icontains(search, autoescape=True))
    total = await session.scalar(select(func.count()).select_from(query.subquery())) or 0
    page = query.order_by(Experiment.created_at.desc()).limit(limit).offset(offset)
    return (await session.scalars(page)).all(), total


async def latest_version(session: AsyncSession, experiment_id: UUID) -> ExperimentVersion:
    query = select(ExperimentVersion).where(ExperimentVersion.experiment_id == experiment_id)
    return (await session.scalars(query.order_by(ExperimentVersion.number.desc()).limit(1))).one()
