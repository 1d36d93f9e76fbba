"""/agent/config-checks: how agents take configuration tests and answer them."""

from uuid import UUID

from fastapi import APIRouter, status
from ngxlab_contracts.config_check import ConfigCheckResult, ConfigCheckSpec

from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Invalid, NotFound, responses
from ngxlab.experiments.config_tests import service as config_checks
from ngxlab.worker_api.access import HostCaller

router = APIRouter(prefix="/agent/config-checks", tags=["agent"])


@router.get("/{check_id}", responses=responses(NotFound, Conflict))
async def claim_config_check(check_id: UUID, session: SessionDep, host: HostCaller) -> ConfigCheckSpec:
    """The configurations this host is asked to test."""
    return await config_checks.request_of(session, host, check_id)


@router.post("/{check_id}", status_code=status.HTTP_204_NO_CONTENT, responses=responses(NotFound, Conflict, Invalid))
async def post_config_check(check_id: UUID, body: ConfigCheckResult, session: SessionDep, host: HostCaller) -> None:
    """What this host's nginx said; repeating the answer is harmless."""
    await config_checks.accept(session, host, check_id, body)
