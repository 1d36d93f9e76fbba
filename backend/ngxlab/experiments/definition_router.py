"""/experiments/preview and /experiments/import."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response, status
from pydantic import ValidationError

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import BadRequest, FieldProblem, Invalid, TooManyRequests, responses
from ngxlab.definition.preview.schemas import DefinitionPreview, DefinitionPreviewRequest
from ngxlab.definition.schema.base import ExperimentName
from ngxlab.definition.yaml.text import MAX_CHARACTERS
from ngxlab.experiments import service
from ngxlab.experiments.preview_process import PreviewProcessDep
from ngxlab.experiments.preview_work import ReadDocument
from ngxlab.experiments.schemas import ExperimentDetail, ImportRequest
from ngxlab.experiments.service import experiment_object


async def import_request(request: Request, name: str | None) -> ImportRequest:
    """The body: a YAML document by itself, or an :class:`ImportRequest` as JSON."""
    body = await request.body()
    if len(body) > 4 * MAX_CHARACTERS:
        raise BadRequest(f"The document is too long: at most {MAX_CHARACTERS:,} characters are allowed.")
    try:
        if request.headers.get("Content-Type", "").startswith("application/json"):
            return ImportRequest.model_validate_json(body)
        return ImportRequest(yaml=body.decode(), name=name)
    except ValidationError as error:
        problems = [
            FieldProblem(field=".".join(str(part) for part in item["loc"]), message=item["msg"])
            for item in error.errors(include_url=False)
        ]
        raise Invalid("; ".join(f"{p.field}: {p.message}" for p in problems), errors=problems) from error
    except UnicodeDecodeError as error:
        raise BadRequest(f"The body is not UTF-8 text: {error}") from error


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
async def preview_definition(body: DefinitionPreviewRequest, caller: Viewer, previews: PreviewProcessDep) -> Response:
    """What a definition would run, and everything wrong with it; a broken definition is no error of the request."""
    return Response(await previews.run(caller, "preview_definition", body), media_type="application/json")


@router.post(
    "/import", status_code=status.HTTP_201_CREATED, responses=responses(TooManyRequests), openapi_extra=_IMPORT_BODY
)
async def import_experiment(
    request: Request,
    session: SessionDep,
    caller: Experimenter,
    previews: PreviewProcessDep,
    name: Annotated[ExperimentName | None, Query()] = None,
) -> ExperimentDetail:
    """Save a YAML document as a new experiment. The body is the document itself, or JSON that contains it."""
    document = await previews.run(caller, "read_document", await import_request(request, name))
    made = await service.import_document(session, caller, ReadDocument.model_validate_json(document))
    await record(session, caller.actor, Act.experiment_created, experiment_object(made), imported=True)
    return made
