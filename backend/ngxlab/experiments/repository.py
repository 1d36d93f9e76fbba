"""SQL of experiments and versions."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Select, false, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import teams
from ngxlab.accounts.access import Caller
from ngxlab.accounts.models import Account, Role
from ngxlab.core.paging import PageQuery
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments.models import ConfigTest, Experiment, ExperimentVersion


async def experiment(session: AsyncSession, experiment_id: UUID) -> Experiment | None:
    return await session.get(Experiment, experiment_id)


def hidden(caller: Caller) -> Select[UUID]:
    """The experiments that a caller may not read, since they belong to other teams."""
    query = select(Experiment.id).where(Experiment.team_id.is_not(None))
    if caller.account.role == Role.administrator:
        return query.where(false())
    return query.where(Experiment.team_id.not_in(teams.of(caller.account.id)))


async def is_hidden(session: AsyncSession, caller: Caller, experiment_id: UUID) -> bool:
    return await session.scalar(hidden(caller).where(Experiment.id == experiment_id)) is not None


async def experiments(
    session: AsyncSession, caller: Caller, wanted: PageQuery, *, search: str, archived: bool
) -> tuple[Sequence[Experiment], int]:
    """A page, newest first, and the number of all matching experiments."""
    query = select(Experiment).where(
        Experiment.archived_at.is_not(None) if archived else Experiment.archived_at.is_(None),
        Experiment.id.not_in(hidden(caller)),
    )
    if search:
        query = query.where(Experiment.name.icontains(search, autoescape=True))
    total = await session.scalar(select(func.count()).select_from(query.subquery())) or 0
    page = query.order_by(Experiment.created_at.desc(), Experiment.id).limit(wanted.limit).offset(wanted.start)
    return (await session.scalars(page)).all(), total


async def latest_named(session: AsyncSession, account_id: UUID, name: str) -> Experiment | None:
    """A person's newest experiment of exactly this name that is not archived. Until the transaction ends, nobody else
    asks for it, so that two who save the same file at once do not both find that there is none."""
    await session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"{account_id} {name}", 0))))
    query = select(Experiment).where(
        Experiment.created_by == account_id, Experiment.name == name, Experiment.archived_at.is_(None)
    )
    return await session.scalar(query.order_by(Experiment.created_at.desc(), Experiment.id).limit(1))


async def latest_version(session: AsyncSession, experiment_id: UUID) -> ExperimentVersion:
    query = select(ExperimentVersion).where(ExperimentVersion.experiment_id == experiment_id)
    return (await session.scalars(query.order_by(ExperimentVersion.number.desc()).limit(1))).one()


async def latest_version_by(session: AsyncSession, experiment_id: UUID) -> tuple[ExperimentVersion, str]:
    """And its author's address."""
    query = select(ExperimentVersion, Account.email).join(Account, Account.id == ExperimentVersion.created_by)
    query = query.where(ExperimentVersion.experiment_id == experiment_id)
    version, email = (await session.execute(query.order_by(ExperimentVersion.number.desc()).limit(1))).one()
    return version, email


async def version(session: AsyncSession, experiment_id: UUID, number: int) -> ExperimentVersion | None:
    query = select(ExperimentVersion).where(
        ExperimentVersion.experiment_id == experiment_id, ExperimentVersion.number == number
    )
    return await session.scalar(query)


async def versions(session: AsyncSession, experiment_id: UUID) -> list[tuple[ExperimentVersion, str]]:
    """Newest first: the version and its author's address."""
    query = (
        select(ExperimentVersion, Account.email)
        .join(Account, Account.id == ExperimentVersion.created_by)
        .where(ExperimentVersion.experiment_id == experiment_id)
        .order_by(ExperimentVersion.number.desc())
    )
    return [(version, email) for version, email in await session.execute(query)]


def add_version(
    session: AsyncSession, experiment_id: UUID, number: int, definition: Definition, author_id: UUID
) -> None:
    session.add(
        ExperimentVersion(
            experiment_id=experiment_id,
            number=number,
            definition=definition.model_dump(mode="json"),
            created_by=author_id,
        )
    )


async def config_test(session: AsyncSession, test_id: UUID, *, lock: bool = False) -> ConfigTest | None:
    query = select(ConfigTest).where(ConfigTest.id == test_id)
    return await session.scalar(query.with_for_update() if lock else query)
