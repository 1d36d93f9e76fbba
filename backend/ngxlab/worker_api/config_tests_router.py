"""/agent/config-tests: how agents take configuration tests and answer them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, status
from fastapi.responses import JSONResponse
from ngxlab_contracts.base import opened
from ngxlab_contracts.config_test import ConfigTestResult, ConfigTestSpec
from ngxlab_contracts.protocol import wire_form

from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Invalid, NotFound, responses
from ngxlab.experiments.config_tests import service as config_tests
from ngxlab.worker_api.access import HostCaller

router = APIRouter(route_class=GuardedRoute, prefix="/agent/config-tests", tags=["agent"])


@router.get("/{test_id:uuid}", response_model=ConfigTestSpec, responses=responses(NotFound, Conflict))
async def claim_config_test(test_id: UUID, session: SessionDep, host: HostCaller) -> JSONResponse:
    """The configurations that this host must test."""
    return JSONResponse(wire_form(await config_tests.request_of(session, host, test_id)))


@router.post(
    "/{test_id:uuid}", status_code=status.HTTP_204_NO_CONTENT, responses=responses(NotFound, Conflict, Invalid)
)
async def post_config_test(
    test_id: UUID, body: Annotated[ConfigTestResult, opened(ConfigTestResult)], session: SessionDep, host: HostCaller
) -> None:
    """Post the result of this host's nginx; repeating it is harmless."""
    await config_tests.accept(session, host, test_id, body)
