"""/experiments, their preview and import, and tests of their configuration on a host."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response, status
from pydantic import ValidationError

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.configurations.schemas import Conversion, ConversionRequest
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import (
    BadRequest,
    Conflict,
    FieldProblem,
    Invalid,
    NotFound,
    TooManyRequests,
    described,
    responses,
)
from ngxlab.core.paging import LIMIT, CountedPage, PageQuery, Start
from ngxlab.core.rehearsal import require_real
from ngxlab.definition.pairing import Pairing, PairingRequest
from ngxlab.definition.preview.schemas import DefinitionPreview, DefinitionPreviewRequest, ImportRequest
from ngxlab.definition.schema.base import ExperimentName
from ngxlab.definition.yaml.text import MAX_CHARACTERS
from ngxlab.experiments import config_tests, service, versions_router
from ngxlab.experiments.preview_process import PreviewProcessDep
from ngxlab.experiments.preview_work import ReadDocument
from ngxlab.experiments.schemas import (
    ConfigTestCreate,
    ConfigTestOut,
    ExperimentCreate,
    ExperimentDetail,
    ExperimentSummary,
    ExperimentUpdate,
)
from ngxlab.experiments.service import experiment_object

router = APIRouter(route_class=GuardedRoute, prefix="/experiments", tags=["experiments"])
router.include_router(versions_router.router)


@router.get("")
async def list_experiments(  # noqa: PLR0917 (parameters of a query)
    session: SessionDep,
    caller: Viewer,
    search: Annotated[str, Query(max_length=120)] = "",
    archived: bool = False,  # noqa: FBT001, FBT002 (a query parameter)
    limit: Annotated[int, Query(ge=1, le=200, description=LIMIT)] = 50,
    start: Start = 0,
) -> CountedPage[ExperimentSummary]:
    """Experiments, newest first."""
    return await service.page(session, caller, PageQuery(start, limit), search=search, archived=archived)


@router.post("", status_code=status.HTTP_201_CREATED, responses=responses(NotFound, TooManyRequests))
async def create_experiment(
    body: ExperimentCreate, session: SessionDep, caller: Experimenter, previews: PreviewProcessDep
) -> ExperimentDetail:
    """Save a template with parameters, or a definition, as a new experiment."""
    made = await service.create(session, caller, previews, body)
    await record(session, caller.actor, Act.experiment_created, experiment_object(made), template=made.template_key)
    return made


@router.get("/{experiment_id:uuid}")
async def get_experiment(experiment_id: UUID, session: SessionDep, caller: Viewer) -> ExperimentDetail:
    """One experiment: its latest definition and the arms that it would run."""
    return await service.detail(session, caller, experiment_id)


@router.patch("/{experiment_id:uuid}")
async def update_experiment(
    experiment_id: UUID, body: ExperimentUpdate, session: SessionDep, caller: Experimenter
) -> ExperimentDetail:
    """Rename or archive one of your own experiments."""
    changed = await service.update(session, caller, experiment_id, body)
    what = body.model_dump(exclude_none=True, exclude={"team_id"})
    if "team_id" in body.model_fields_set:
        what["team"] = changed.team.name if changed.team is not None else "everybody"
    await record(session, caller.actor, Act.experiment_changed, experiment_object(changed), **what)
    return changed


@router.post(
    "/config-tests", status_code=status.HTTP_201_CREATED, responses=responses(NotFound, Conflict, TooManyRequests)
)
async def create_config_test(
    body: ConfigTestCreate, session: SessionDep, caller: Experimenter, previews: PreviewProcessDep
) -> ConfigTestOut:
    """Let a host's own nginx test the configuration of every arm."""
    await require_real(session)
    test = await config_tests.create(session, caller, previews, body)
    on = Object("host", test.host_id, test.host_name)
    experiment_id = str(body.experiment_id) if body.experiment_id else None
    await record(session, caller.actor, Act.config_test_started, on, experiment_id=experiment_id)
    return test


@router.get("/config-tests/{test_id:uuid}")
async def get_config_test(test_id: UUID, session: SessionDep, caller: Viewer) -> ConfigTestOut:
    """What the host's nginx has answered so far; without an answer within 30 s the test has failed."""
    return await config_tests.own(session, caller, test_id)


async def import_request(request: Request, name: str | None) -> ImportRequest:
    """The body: a YAML document by itself, or an :class:`ImportRequest` as JSON."""
    body = await request.body()
    if len(body) > 4 * MAX_CHARACTERS:
        raise BadRequest("The document is too long: at most {most:,} characters are allowed.", most=MAX_CHARACTERS)
    try:
        if request.headers.get("Content-Type", "").startswith("application/json"):
            return ImportRequest.model_validate_json(body)
        return ImportRequest(yaml=body.decode(), name=name)
    except ValidationError as error:
        problems = [
            FieldProblem(field=".".join(str(part) for part in item["loc"]), message=item["msg"])
            for item in error.errors(include_url=False)
        ]
        raise Invalid(described(problems), errors=problems) from error
    except UnicodeDecodeError as error:
        raise BadRequest("The body is not UTF-8 text: {error}", error=str(error)) from error


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


@router.post("/conversion", response_model=Conversion, responses=responses(NotFound, TooManyRequests))
async def convert_configurations(
    body: ConversionRequest, session: SessionDep, caller: Experimenter, previews: PreviewProcessDep
) -> Response:
    """What an experiment makes of one nginx configuration or of two, line by line. Nothing is saved."""
    job = await config_tests.conversion_job(session, caller, body)
    return Response(await previews.run(caller, "convert_configurations", job), media_type="application/json")


@router.post("/pairing", response_model=Pairing, responses=responses(TooManyRequests))
async def pair_experiments(body: PairingRequest, caller: Experimenter, previews: PreviewProcessDep) -> Response:
    """What nginx runs by two versions of a YAML document, as two arms of one experiment. Nothing is saved."""
    return Response(await previews.run(caller, "pair", body), media_type="application/json")


@router.post(
    "/import", status_code=status.HTTP_201_CREATED, responses=responses(TooManyRequests), openapi_extra=_IMPORT_BODY
)
async def import_experiment(  # noqa: PLR0917 (parameters of a query)
    request: Request,
    session: SessionDep,
    caller: Experimenter,
    previews: PreviewProcessDep,
    response: Response,
    name: Annotated[ExperimentName | None, Query()] = None,
    again: bool = False,  # noqa: FBT001, FBT002 (a query parameter)
) -> ExperimentDetail:
    """Save a YAML document as a new experiment. The body is the document itself, or JSON that contains it.

    With ``again``, your newest experiment of that name is taken (200), in a new version where the document says
    something else.
    """
    document = await previews.run(caller, "read_document", await import_request(request, name))
    read = ReadDocument.model_validate_json(document)
    saved, change = await service.import_document(session, caller, read, again=again)
    on = experiment_object(saved)
    if change == "experiment":
        await record(session, caller.actor, Act.experiment_created, on, imported=True)
        return saved
    response.status_code = status.HTTP_200_OK
    if change == "version":
        await record(session, caller.actor, Act.experiment_changed, on, version=saved.version, name=None)
    return saved
