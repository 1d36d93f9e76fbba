"""/experiments/preview and /experiments/import."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response, status

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import BadRequest, Invalid, TooManyRequests, responses
from ngxlab.definition.preview.schemas import DefinitionPreview, DefinitionPreviewRequest
from ngxlab.definition.schema.base import ExperimentName
from ngxlab.experiments import imports, service
from ngxlab.experiments.apart import ApartDep
from ngxlab.experiments.audited import experiment_object
from ngxlab.experiments.jobs import ReadDocument
from ngxlab.experiments.schemas import ExperimentDetail
from ngxlab.experiments.version_schemas import ImportRequest

router = APIRouter(route_class=GuardedRoute)

_IMPORT_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": ImportRequest.model_json_schema()},
            "text/yaml": {"schema": {"type": "string"}},
        },
    }
}


@router.post("/preview", response_model=DefinitionPreview, responses=responses(TooManyRequests))
async def preview_definition(body: DefinitionPreviewRequest, caller: Viewer, apart: ApartDep) -> Response:
    """What a definition would run, and everything wrong with it; a broken definition is no error of the request."""
    return Response(await apart.run(caller, "preview_definition", body), media_type="application/json")


@router.post(
    "/import",
    status_code=status.HTTP_201_CREATED,
    responses=responses(BadRequest, Invalid, TooManyRequests),
    openapi_extra=_IMPORT_BODY,
)
async def import_experiment(
    request: Request,
    session: SessionDep,
    caller: Experimenter,
    apart: ApartDep,
    name: Annotated[ExperimentName | None, Query()] = None,
) -> ExperimentDetail:
    """Save a YAML document as a new experiment. The body is the document itself, or JSON that contains it."""
    document = await apart.run(caller, "read_document", await imports.import_request(request, name))
    made = await service.import_document(session, caller, ReadDocument.model_validate_json(document))
    await record(session, caller.actor, Act.experiment_created, experiment_object(made), imported=True)
    return made
