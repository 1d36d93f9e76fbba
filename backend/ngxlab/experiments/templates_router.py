"""/templates."""

from fastapi import APIRouter

from ngxlab.accounts.access import Viewer
from ngxlab.core.access import GuardedRoute
from ngxlab.core.errors import NotFound, responses
from ngxlab.templates import service
from ngxlab.templates.registry import template, templates
from ngxlab.templates.schemas import (
    Preview,
    PreviewRequest,
    TemplateDetail,
    TemplateSummary,
)

router = APIRouter(route_class=GuardedRoute, prefix="/templates", tags=["templates"])


@router.get("")
async def list_templates(_: Viewer) -> list[TemplateSummary]:
    """The built-in experiments."""
    return [service.summary(item) for item in templates().values()]


@router.get("/{key}", responses=responses(NotFound))
async def get_template(key: str, _: Viewer) -> TemplateDetail:
    """One template with its form, presets, needs and charts."""
    return service.detail(template(key))


@router.post("/{key}/preview", responses=responses(NotFound))
async def preview_template(key: str, body: PreviewRequest, _: Viewer) -> Preview:
    """What these parameters would run, or what is wrong with them."""
    return service.preview(template(key), body.parameters)
