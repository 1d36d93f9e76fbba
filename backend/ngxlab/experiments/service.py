"""Create, list and change experiments."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.access import Caller, require_owner
from ngxlab.accounts.models import Role
from ngxlab.clock import utcnow
from ngxlab.errors import NotFound, Unavailable
from ngxlab.experiments import repository
from ngxlab.experiments.definition import Definition
from ngxlab.experiments.models import Experiment, ExperimentVersion
from ngxlab.experiments.schemas import (
    ExperimentCreate,
    ExperimentDetail,
    ExperimentPage,
    ExperimentSummary,
    ExperimentUpdate,
)
from ngxlab.experiments.version_schemas import ImportRequest
from ngxlab.runs import repository as runs
from ngxlab.runs.presentation import run_summary
from ngxlab.templates import service as templates
from ngxlab.templates.registry import template


async def import_document(session: AsyncSession, caller: Caller, request: ImportRequest) -> ExperimentDetail:
    raise Unavailable("Coming with the next commit.")


async def create(session: AsyncSession, caller: Caller, request: ExperimentCreate) -> ExperimentDetail:
    """Save a template with its parameters as version 1 of a new experiment."""
    if request.template_key is None:
        raise Unavailable("Coming with the next commit.")
    chosen = template(request.template_key)
    definition = chosen.build(chosen.complete(request.parameters))
    experiment = Experiment(name=request.name, template_key=chosen.key, created_by=caller.account.id)
    experiment.author = caller.account
    session.add(experiment)
    await session.flush()
    session.add(
        ExperimentVersion(
            experiment_id=experiment.id,
            number=1,
            definition=definition.model_dump(mode="json"),
            created_by=caller.account.id,
        )
    )
    await session.flush()
    await session.refresh(experiment, ["created_at"])
    return await detail(session, caller, experiment.id)


async def get(session: AsyncSession, experiment_id: UUID) -> Experiment:
    experiment = await repository.experiment(session, experiment_id)
    if experiment is None:
        raise NotFound("There is no such experiment.")
    return experiment


async def update(
    session: AsyncSession, caller: Caller, experiment_id: UUID, request: ExperimentUpdate
) -> ExperimentDetail:
    experiment = await get(session, experiment_id)
    require_owner(caller, experiment.created_by, "experiment")
    if request.name is not None:
        experiment.name = request.name
    if request.archived is not None:
        experiment.archived_at = utcnow() if request.archived else None
    await session.flush()
    return await detail(session, caller, experiment_id)


async def page(session: AsyncSession, *, search: str, archived: bool, limit: int, offset: int) -> ExperimentPage:
    found, total = await repository.experiments(session, search=search, archived=archived, limit=limit, offset=offset)
    latest = await runs.latest_by_experiment(session, [experiment.id for experiment in found])
    items = []
    for experiment in found:
        run, count = latest.get(experiment.id, (None, 0))
        items.append(
            ExperimentSummary(
                id=experiment.id,
                name=experiment.name,
                template_key=experiment.template_key,
                created_at=experiment.created_at,
                created_by=experiment.author.email,
                archived_at=experiment.archived_at,
                runs=count,
                last_run=run_summary(run) if run else None,
            )
        )
    return ExperimentPage(items=items, total=total)


async def detail(session: AsyncSession, caller: Caller, experiment_id: UUID) -> ExperimentDetail:
    experiment = await get(session, experiment_id)
    version = await repository.latest_version(session, experiment_id)
    definition = Definition.model_validate(version.definition)
    is_owner = caller.account.id == experiment.created_by and Role(caller.account.role).includes(Role.experimenter)
    return ExperimentDetail(
        id=experiment.id,
        name=experiment.name,
        template_key=experiment.template_key,
        created_at=experiment.created_at,
        created_by=experiment.author.email,
        archived_at=experiment.archived_at,
        may_edit=is_owner or caller.account.role == Role.administrator,
        version_id=version.id,
        version=version.number,
        definition=definition,
        arms=templates.arms_of(definition),
        plan=templates.plan_of(definition),
        runs=[run_summary(run) for run in await runs.of_experiment(session, experiment_id)],
    )
