"""/experiments/config-checks for people, /agent/config-checks for agents."""

from uuid import UUID

from fastapi import APIRouter, status
from ngxlab_contracts.config_check import ConfigCheckResult, ConfigCheckSpec

from ngxlab.access import Experimenter, HostCaller, Viewer
from ngxlab.database import SessionDep
from ngxlab.errors import Conflict, Invalid, NotFound, responses
from ngxlab.experiments import config_checks
from ngxlab.experiments.config_check_schemas import ConfigCheckCreate, ConfigCheckOut

router = APIRouter(prefix="/config-checks")
agent_router = APIRouter(prefix="/agent/config-checks", tags=["agent"])


@router.post("", status_code=status.HTTP_201_CREATED, responses=responses(NotFound, Conflict, Invalid))
async def create_config_check(body: ConfigCheckCreate, session: SessionDep, caller: Experimenter) -> ConfigCheckOut:
    """Have a host's own nginx test the configuration of every arm."""
    return await config_checks.create(session, caller, body)


@router.get("/{check_id}", responses=responses(NotFound))
async def get_config_check(check_id: UUID, session: SessionDep, _: Viewer) -> ConfigCheckOut:
    """What the host's nginx said so far; a host that does not answer within 30 s is a failed check."""
    return await config_checks.get(session, check_id)


@agent_router.get("/{check_id}", responses=responses(NotFound, Conflict))
async def claim_config_check(check_id: UUID, session: SessionDep, host: HostCaller) -> ConfigCheckSpec:
    """The configurations this host is asked to test."""
    return await config_checks.request_of(session, host, check_id)


@agent_router.post(
    "/{check_id}", status_code=status.HTTP_204_NO_CONTENT, responses=responses(NotFound, Conflict, Invalid)
)
async def post_config_check(check_id: UUID, body: ConfigCheckResult, session: SessionDep, host: HostCaller) -> None:
    """What this host's nginx said; repeating the answer is harmless."""
    await config_checks.accept(session, host, check_id, body)
