"""/experiments/config-tests."""

from uuid import UUID

from fastapi import APIRouter, status

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, NotFound, TooManyRequests, responses
from ngxlab.experiments.config_tests import service as config_tests
from ngxlab.experiments.preview_process import PreviewProcessDep
from ngxlab.experiments.schemas import ConfigTestCreate, ConfigTestOut

router = APIRouter(route_class=GuardedRoute, prefix="/config-tests")


@router.post("", status_code=status.HTTP_201_CREATED, responses=responses(NotFound, Conflict, TooManyRequests))
async def create_config_test(
    body: ConfigTestCreate, session: SessionDep, caller: Experimenter, previews: PreviewProcessDep
) -> ConfigTestOut:
    """Let a host's own nginx test the configuration of every arm."""
    test = await config_tests.create(session, caller, previews, body)
    on = Object("host", test.host_id, test.host_name)
    experiment_id = str(body.experiment_id) if body.experiment_id else None
    await record(session, caller.actor, Act.config_test_started, on, experiment_id=experiment_id)
    return test


@router.get("/{test_id:uuid}")
async def get_config_test(test_id: UUID, session: SessionDep, _: Viewer) -> ConfigTestOut:
    """What the host's nginx has answered so far; without an answer within 30 s the test has failed."""
    return await config_tests.get(session, test_id)
