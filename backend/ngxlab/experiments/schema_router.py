"""/schemas: the published JSON Schema of experiments."""

from typing import Any

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse

from ngxlab.core.access import GuardedRoute, public
from ngxlab.definition.yaml.documents import document_schema

router = APIRouter(route_class=GuardedRoute, prefix="/schemas", tags=["schemas"], dependencies=[Depends(public)])


@router.get("/experiment.json", response_class=JSONResponse)
async def get_experiment_schema() -> dict[str, Any]:
    """JSON Schema of an experiment's YAML document, for editors."""
    return document_schema()
