"""/experiments/{id}/versions, definition and clone."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Request, Response, status

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import TooManyRequests, responses
from ngxlab.core.paging import Page, Paging
from ngxlab.core.payload import MOST_ROWS
from ngxlab.experiments import editing, versions
from ngxlab.experiments.preview_process import PreviewProcessDep
from ngxlab.experiments.schemas import (
    CloneRequest,
    DefinitionUpdate,
    Editing,
    EditingRequest,
    ExperimentDetail,
    VersionDetail,
    VersionDiff,
    VersionSummary,
)
from ngxlab.experiments.service import experiment_object

router = APIRouter(route_class=GuardedRoute, prefix="/{experiment_id:uuid}")

Number = Annotated[int, Path(ge=1, le=MOST_ROWS)]


@router.put("/definition", responses=responses(TooManyRequests))
async def save_definition(
    experiment_id: UUID, body: DefinitionUpdate, session: SessionDep, caller: Experimenter, previews: PreviewProcessDep
) -> ExperimentDetail:
    """Save a new version if something changed. Refused as `version-changed` if somebody saved one in between."""
    saved = await versions.save(session, caller, previews, experiment_id, body)
    if saved.version != body.base_version or body.name is not None:
        on = experiment_object(saved)
        await record(session, caller.actor, Act.experiment_changed, on, version=saved.version, name=body.name)
    return saved


@router.post("/editors")
async def note_editor(experiment_id: UUID, body: EditingRequest, session: SessionDep, caller: Experimenter) -> Editing:
    """Tell that the experiment is being edited, and learn who else does, and which version is the newest."""
    return await editing.noted(session, caller, experiment_id, body)


@router.post("/clone", status_code=status.HTTP_201_CREATED)
async def clone_experiment(
    experiment_id: UUID, body: CloneRequest, session: SessionDep, caller: Experimenter
) -> ExperimentDetail:
    """A new experiment with the same definition, owned by the caller."""
    made = await versions.clone(session, caller, experiment_id, body)
    on = experiment_object(made)
    await record(session, caller.actor, Act.experiment_created, on, cloned_from=str(experiment_id))
    return made


@router.get("/versions")
async def list_versions(experiment_id: UUID, session: SessionDep, _: Viewer, page: Paging) -> Page[VersionSummary]:
    """All versions, newest first."""
    return page.of(await versions.summaries(session, experiment_id))


@router.get(
    "/versions/{number}.yaml",
    responses={200: {"content": {"text/yaml": {"schema": {"type": "string"}}}}},
    response_class=Response,
)
async def export_version(
    experiment_id: UUID, number: Number, request: Request, session: SessionDep, _: Viewer
) -> Response:
    """A version as a YAML document; importing it gives the same definition."""
    schema_url = f"{request.app.state.settings.public_url}{request.app.url_path_for('get_experiment_schema')}"
    name, text = await versions.export(session, experiment_id, number, schema_url)
    return Response(text, media_type="text/yaml", headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.get("/versions/{number}")
async def get_version(experiment_id: UUID, number: Number, session: SessionDep, _: Viewer) -> VersionDetail:
    """One version with the arms that it runs."""
    return await versions.detail(session, experiment_id, number)


@router.get("/versions/{before}/diff/{after}")
async def compare_versions(
    experiment_id: UUID, before: Number, after: Number, session: SessionDep, _: Viewer
) -> VersionDiff:
    """What changed between two versions."""
    return await versions.diff(session, experiment_id, before, after)
