"""Versions of an experiment."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.access import Caller
from ngxlab.errors import Unavailable
from ngxlab.experiments.schemas import ExperimentDetail
from ngxlab.experiments.version_schemas import (
    CloneRequest,
    DefinitionUpdate,
    VersionDetail,
    VersionDiff,
    VersionSummary,
)


async def save(
    session: AsyncSession, caller: Caller, experiment_id: UUID, request: DefinitionUpdate
) -> ExperimentDetail:
    raise Unavailable("Coming with the next commit.")


async def clone(session: AsyncSession, caller: Caller, experiment_id: UUID, request: CloneRequest) -> ExperimentDetail:
    raise Unavailable("Coming with the next commit.")


async def summaries(session: AsyncSession, experiment_id: UUID) -> list[VersionSummary]:
    raise Unavailable("Coming with the next commit.")


async def export(session: AsyncSession, experiment_id: UUID, number: int) -> tuple[str, str]:
    raise Unavailable("Coming with the next commit.")


async def detail(session: AsyncSession, experiment_id: UUID, number: int) -> VersionDetail:
    raise Unavailable("Coming with the next commit.")


async def diff(session: AsyncSession, experiment_id: UUID, before: int, after: int) -> VersionDiff:
    raise Unavailable("Coming with the next commit.")
