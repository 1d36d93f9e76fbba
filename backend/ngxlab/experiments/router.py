"""/experiments."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import NotFound, TooManyRequests, responses
from ngxlab.core.paging import LIMIT, CountedPage, PageQuery, Start
from ngxlab.experiments import definition_router as design_router
from ngxlab.experiments import service, versions_router
from ngxlab.experiments.config_tests import router as config_tests_router
from ngxlab.experiments.preview_process import PreviewProcessDep
from ngxlab.experiments.schemas import ExperimentCreate, ExperimentDetail, ExperimentSummary, ExperimentUpdate
from ngxlab.experiments.service import experiment_object

router = APIRouter(route_class=GuardedRoute, prefix="/experiments", tags=["experiments"])
for part in (design_router, config_tests_router, versions_router):
    router.include_router(part.router)


@router.get("")
async def list_experiments(
    session: SessionDep,
    _: Viewer,
    search: Annotated[str, Query(max_length=120)] = "",
    archived: bool = False,  # noqa: FBT001, FBT002 (a query parameter)
    limit: Annotated[int, Query(ge=1, le=200, description=LIMIT)] = 50,
    start: Start = 0,
) -> CountedPage[ExperimentSummary]:
    """Experiments, newest first."""
    return await service.page(session, PageQuery(start, limit), search=search, archived=archived)


@router.post("", status_code=status.HTTP_201_CREATED, responses=responses(NotFound, TooManyRequests))
async def create_experiment(
    body: ExperimentCreate, session: SessionDep, caller: Experimenter, previews: PreviewProcessDep
) -> ExperimentDetail:
    """Save a template with parameters, or a definition, as a new experiment."""
    made = await service.create(session, caller, previews, body)
    await record(session, caller.actor, Act.experiment_created, experiment_object(made), template=made.template_key)
    return made


@router.get("/{experiment_id:uuid}")
async def get_experiment(experiment_id: UUID, session: SessionDep, caller: Viewer) -> ExperimentDetail:
    """One experiment: its latest definition and the arms that it would run."""
    return await service.detail(session, caller, experiment_id)


@router.patch("/{experiment_id:uuid}")
async def update_experiment(
    experiment_id: UUID, body: ExperimentUpdate, session: SessionDep, caller: Experimenter
) -> ExperimentDetail:
    """Rename or archive one of your own experiments."""
    changed = await service.update(session, caller, experiment_id, body)
    what = body.model_dump(exclude_none=True)
    await record(session, caller.actor, Act.experiment_changed, experiment_object(changed), **what)
    return changed
