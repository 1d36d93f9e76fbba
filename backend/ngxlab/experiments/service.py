"""Create, list and change experiments."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.accounts.models import Role
from ngxlab.audit.record import Object
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import existing
from ngxlab.core.paging import CountedPage, PageQuery
from ngxlab.definition.preview.definition import arm_previews, plan_preview
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments import repository
from ngxlab.experiments.models import Experiment, definition_of
from ngxlab.experiments.origin import with_true_origin
from ngxlab.experiments.preview_process import PreviewProcess
from ngxlab.experiments.preview_work import ReadDocument
from ngxlab.experiments.schemas import (
    ExperimentCreate,
    ExperimentDetail,
    ExperimentSummary,
    ExperimentUpdate,
)


async def create(
    session: AsyncSession, caller: Caller, previews: PreviewProcess, request: ExperimentCreate
) -> ExperimentDetail:
    """Save a template with its parameters, or a definition, as a new experiment. Raises Invalid with all problems."""
    if request.template_key is not None:
        definition = await previews.built(caller, request.template_key, request.parameters)
        return await add(session, caller, request.name, definition, request.template_key)
    definition = await previews.definition(caller, request.definition or {})
    return await add(session, caller, request.name, definition, _template_key(definition))


async def import_document(session: AsyncSession, caller: Caller, document: ReadDocument) -> ExperimentDetail:
    """Save what was read of a YAML document as a new experiment."""
    definition, template_key = from_document(document)
    return await add(session, caller, document.name, definition, template_key)


def from_document(document: ReadDocument) -> tuple[Definition, str | None]:
    """The definition that was read of a YAML document, and its template's key, as an experiment would have them."""
    definition = with_true_origin(document.definition)
    return definition, _template_key(definition)


def _template_key(definition: Definition) -> str | None:
    return definition.template.key if definition.template is not None else None


async def add(
    session: AsyncSession, caller: Caller, name: str, definition: Definition, template_key: str | None
) -> ExperimentDetail:
    """A new experiment of the caller, with ``definition`` as version 1."""
    experiment = Experiment(name=name, template_key=template_key, created_by=caller.account.id)
    experiment.author = caller.account
    session.add(experiment)
    await session.flush()
    repository.add_version(session, experiment.id, 1, definition, caller.account.id)
    await session.flush()
    await session.refresh(experiment, ["created_at"])
    return await detail(session, caller, experiment.id)


async def get(session: AsyncSession, experiment_id: UUID) -> Experiment:
    return existing(await repository.experiment(session, experiment_id), "experiment")


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


async def page(
    session: AsyncSession, wanted: PageQuery, *, search: str, archived: bool
) -> CountedPage[ExperimentSummary]:
    experiments, total = await repository.experiments(session, wanted, search=search, archived=archived)
    items = [_summary(experiment) for experiment in experiments]
    return CountedPage(items=items, total=total, next=wanted.following(total))


def _summary(experiment: Experiment) -> ExperimentSummary:
    return ExperimentSummary(
        id=experiment.id,
        name=experiment.name,
        template_key=experiment.template_key,
        created_at=experiment.created_at,
        created_by=experiment.author.email,
        archived_at=experiment.archived_at,
    )


async def detail(session: AsyncSession, caller: Caller, experiment_id: UUID) -> ExperimentDetail:
    experiment = await get(session, experiment_id)
    version = await repository.latest_version(session, experiment_id)
    definition = definition_of(version)
    is_owner = caller.account.id == experiment.created_by and caller.role.includes(Role.experimenter)
    return ExperimentDetail(
        id=experiment.id,
        name=experiment.name,
        template_key=experiment.template_key,
        created_at=experiment.created_at,
        created_by=experiment.author.email,
        archived_at=experiment.archived_at,
        may_edit=is_owner or caller.role == Role.administrator,
        version_id=version.id,
        version=version.number,
        definition=definition,
        arms=arm_previews(definition),
        plan=plan_preview(definition),
    )


def experiment_object(experiment: ExperimentDetail) -> Object:
    return Object("experiment", experiment.id, experiment.name)
