"""/templates, and the documents that describe this API and the files of experiments."""

from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from ngxlab.accounts.access import Viewer
from ngxlab.core.access import GuardedRoute, public
from ngxlab.core.errors import TooManyRequests, responses
from ngxlab.core.paging import Page, Paging
from ngxlab.definition.yaml.documents import document_schema
from ngxlab.experiments.preview_process import PreviewProcessDep
from ngxlab.experiments.preview_work import TemplateJob
from ngxlab.templates import service
from ngxlab.templates.registry import template, templates
from ngxlab.templates.schemas import Preview, PreviewRequest, TemplateDetail, TemplateSummary

router = APIRouter(route_class=GuardedRoute, prefix="/templates", tags=["templates"])
documents = APIRouter(route_class=GuardedRoute, tags=["schemas"])


@router.get("")
async def list_templates(_: Viewer, page: Paging) -> Page[TemplateSummary]:
    """The built-in experiments."""
    return page.of([service.summary(item) for item in templates().values()])


@router.get("/{key}")
async def get_template(key: str, _: Viewer) -> TemplateDetail:
    """One template with its form, presets, needs and charts."""
    return service.detail(template(key))


@router.post("/{key}/preview", response_model=Preview, responses=responses(TooManyRequests))
async def preview_template(key: str, body: PreviewRequest, caller: Viewer, previews: PreviewProcessDep) -> Response:
    """What these parameters would run, or what is wrong with them."""
    job = TemplateJob(key=key, parameters=body.parameters)
    return Response(await previews.run(caller, "preview_template", job), media_type="application/json")


@documents.get("/schemas/experiment.json", response_class=JSONResponse, dependencies=[Depends(public)])
async def get_experiment_schema() -> dict[str, Any]:
    """JSON Schema of an experiment's YAML document, for editors."""
    return document_schema()


@documents.get("/openapi.json")
async def get_api_document(request: Request, _: Viewer) -> dict[str, Any]:
    """The OpenAPI document of this API."""
    # Nothing that a stranger may do needs it, and it would name every door to them.
    document: dict[str, Any] = request.app.openapi()
    return document
