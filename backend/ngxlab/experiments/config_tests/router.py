"""/experiments/config-tests."""

from uuid import UUID

from fastapi import APIRouter, status

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Invalid, NotFound, responses
from ngxlab.experiments.config_tests import service as config_tests
from ngxlab.experiments.config_tests.schemas import ConfigTestCreate, ConfigTestOut

router = APIRouter(route_class=GuardedRoute, prefix="/config-tests")


@router.post("", status_code=status.HTTP_201_CREATED, responses=responses(NotFound, Conflict, Invalid))
async def create_config_test(body: ConfigTestCreate, session: SessionDep, caller: Experimenter) -> ConfigTestOut:
    """Let a host's own nginx test the configuration of every arm."""
    return await config_tests.create(session, caller, body)


@router.get("/{test_id:uuid}", responses=responses(NotFound))
async def get_config_test(test_id: UUID, session: SessionDep, _: Viewer) -> ConfigTestOut:
    """What the host's nginx has answered so far; without an answer within 30 s the test has failed."""
    return await config_tests.get(session, test_id)
