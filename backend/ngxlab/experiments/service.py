"""Create, list and change experiments."""

from collections.abc import Mapping
from typing import Literal, NamedTuple
from uuid import UUID

from ngxlab_contracts.sentences import say
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import teams
from ngxlab.accounts.access import Caller, readable, require_owner
from ngxlab.accounts.models import Role
from ngxlab.accounts.schemas import TeamName
from ngxlab.audit.record import Object
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import existing
from ngxlab.core.paging import CountedPage, PageQuery
from ngxlab.definition.preview.definition import arm_previews, plan_preview
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.yaml import documents
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
        return await add(session, caller, request.name, definition, request.template_key, team_id=request.team_id)
    definition = await previews.definition(caller, request.definition or {})
    key = _template_key(definition)
    return await add(session, caller, request.name, definition, key, team_id=request.team_id)


class Saved(NamedTuple):
    """``change``: what was made of the document; ``None`` where all of it was there."""

    experiment: ExperimentDetail
    change: Literal["experiment", "version"] | None


async def import_document(session: AsyncSession, caller: Caller, document: ReadDocument, *, again: bool) -> Saved:
    """Save what was read of a YAML document as a new experiment; with ``again``, as the caller's experiment of that
    name, if there is one: as a new version where it says something else."""
    definition, template_key = from_document(document)
    found = await repository.latest_named(session, caller.account.id, document.name) if again else None
    if found is None:
        return Saved(await add(session, caller, document.name, definition, template_key), "experiment")
    is_new = await save_version(session, caller, found, definition)
    return Saved(await detail(session, caller, found.id), "version" if is_new else None)


async def save_version(session: AsyncSession, caller: Caller, experiment: Experiment, definition: Definition) -> bool:
    """Whether ``definition`` says something else than the latest version, and is therefore saved as the next one. The
    lock on the experiment's row makes version numbers unique."""
    await session.refresh(experiment, with_for_update={"of": Experiment, "key_share": True})
    latest = await repository.latest_version(session, experiment.id)
    if documents.canonical_json(definition_of(latest)) == documents.canonical_json(definition):
        return False
    repository.add_version(session, experiment.id, latest.number + 1, definition, caller.account.id)
    await session.flush()
    return True


def from_document(document: ReadDocument) -> tuple[Definition, str | None]:
    """The definition that was read of a YAML document, and its template's key, as an experiment would have them."""
    definition = with_true_origin(document.definition)
    return definition, _template_key(definition)


def _template_key(definition: Definition) -> str | None:
    return definition.template.key if definition.template is not None else None


async def add(
    session: AsyncSession,
    caller: Caller,
    name: str,
    definition: Definition,
    template_key: str | None,
    *,
    team_id: UUID | None = None,
) -> ExperimentDetail:
    """A new experiment of the caller, with ``definition`` as version 1."""
    await _require_team(session, caller, team_id)
    experiment = Experiment(name=name, template_key=template_key, created_by=caller.account.id, team_id=team_id)
    experiment.author = caller.account
    session.add(experiment)
    await session.flush()
    repository.add_version(session, experiment.id, 1, definition, caller.account.id)
    await session.flush()
    await session.refresh(experiment, ["created_at"])
    return await detail(session, caller, experiment.id)


async def get(session: AsyncSession, experiment_id: UUID) -> Experiment:
    return existing(await repository.experiment(session, experiment_id), "experiment")


@readable("experiment_id")
async def require_readable(session: AsyncSession, caller: Caller, experiment_id: UUID) -> None:
    """Raises NotFound where the experiment belongs to a team that the caller is not in."""
    if await repository.is_hidden(session, caller, experiment_id):
        existing(None, "experiment")


async def _require_team(session: AsyncSession, caller: Caller, team_id: UUID | None) -> None:
    """Raises Forbidden for a team that the caller is not in."""
    await teams.require_member(session, caller, team_id, say("What you would make"))


async def update(
    session: AsyncSession, caller: Caller, experiment_id: UUID, request: ExperimentUpdate
) -> ExperimentDetail:
    experiment = await get(session, experiment_id)
    require_owner(caller, experiment.created_by, "experiment")
    if request.name is not None:
        experiment.name = request.name
    if request.archived is not None:
        experiment.archived_at = utcnow() if request.archived else None
    if "team_id" in request.model_fields_set:
        await _require_team(session, caller, request.team_id)
        experiment.team_id = request.team_id
    await session.flush()
    return await detail(session, caller, experiment_id)


async def page(
    session: AsyncSession, caller: Caller, wanted: PageQuery, *, search: str, archived: bool
) -> CountedPage[ExperimentSummary]:
    experiments, total = await repository.experiments(session, caller, wanted, search=search, archived=archived)
    named = await teams.names_of(session, [experiment.team_id for experiment in experiments])
    items = [_summary(experiment, named) for experiment in experiments]
    return CountedPage(items=items, total=total, next=wanted.following(total))


def _summary(experiment: Experiment, named: Mapping[UUID, TeamName]) -> ExperimentSummary:
    return ExperimentSummary(
        id=experiment.id,
        name=experiment.name,
        template_key=experiment.template_key,
        created_at=experiment.created_at,
        created_by=experiment.author.email,
        archived_at=experiment.archived_at,
        team=named[experiment.team_id] if experiment.team_id is not None else None,
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
        team=await teams.name_of(session, experiment.team_id),
        may_edit=is_owner or caller.role == Role.administrator,
        version_id=version.id,
        version=version.number,
        definition=definition,
        arms=arm_previews(definition),
        plan=plan_preview(definition),
    )


def experiment_object(experiment: ExperimentDetail) -> Object:
    return Object("experiment", experiment.id, experiment.name)
