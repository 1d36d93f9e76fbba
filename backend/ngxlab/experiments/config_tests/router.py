"""/experiments/config-checks."""

from uuid import UUID

from fastapi import APIRouter, status

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Invalid, NotFound, responses
from ngxlab.experiments.config_tests import service as config_checks
from ngxlab.experiments.config_tests.schemas import ConfigCheckCreate, ConfigCheckOut

router = APIRouter(prefix="/config-checks")


@router.post("", status_code=status.HTTP_201_CREATED, responses=responses(NotFound, Conflict, Invalid))
async def create_config_check(body: ConfigCheckCreate, session: SessionDep, caller: Experimenter) -> ConfigCheckOut:
    """Have a host's own nginx test the configuration of every arm."""
    return await config_checks.create(session, caller, body)


@router.get("/{check_id}", responses=responses(NotFound))
async def get_config_check(check_id: UUID, session: SessionDep, _: Viewer) -> ConfigCheckOut:
    """What the host's nginx said so far; a host that does not answer within 30 s is a failed check."""
    return await config_checks.get(session, check_id)
