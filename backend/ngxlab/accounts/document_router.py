"""/openapi.json: the API's own document.

For signed-in people only: nothing that a stranger may do needs it, and it would name every door to them.
"""

from typing import Any

from fastapi import APIRouter, Request

from ngxlab.accounts.access import Viewer
from ngxlab.core.access import GuardedRoute

router = APIRouter(route_class=GuardedRoute, tags=["schemas"])


@router.get("/openapi.json")
async def get_api_document(request: Request, _: Viewer) -> dict[str, Any]:
    """The OpenAPI document of this API."""
    document: dict[str, Any] = request.app.openapi()
    return document
