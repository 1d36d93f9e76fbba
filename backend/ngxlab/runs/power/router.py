"""What a plan can find, and calibrations of hosts."""

from uuid import UUID

from fastapi import APIRouter, status

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import NotFound, TooManyRequests, responses
from ngxlab.core.paging import Page, Paging
from ngxlab.experiments.preview_process import PreviewProcessDep
from ngxlab.experiments.preview_work import ReadDocument
from ngxlab.experiments.schemas import ImportRequest
from ngxlab.experiments.service import from_document
from ngxlab.runs.power import calibrate, plan
from ngxlab.runs.power.schemas import CalibrationOut, CalibrationRequest, NewPowerRequest, PlanPower, PowerRequest
from ngxlab.runs.schemas import RunDetail
from ngxlab.runs.service import recorded

router = APIRouter(route_class=GuardedRoute, tags=["runs"])


@router.post("/experiments/{experiment_id:uuid}/power")
async def get_plan_power(experiment_id: UUID, body: PowerRequest, session: SessionDep, _: Viewer) -> PlanPower:
    """What a run of the experiment's latest version on these hosts would find with 80 % power."""
    return await plan.plan_power(session, experiment_id, body)


@router.post("/experiments/power", responses=responses(NotFound, TooManyRequests))
async def get_power_of_new_plan(
    body: NewPowerRequest, session: SessionDep, caller: Viewer, previews: PreviewProcessDep
) -> PlanPower:
    """The same of an experiment that is not saved, and is not saved by this."""
    if body.template_key is not None:
        built = await previews.built(caller, body.template_key, body.parameters)
        return await plan.power_of_new(session, built, body.template_key, body)
    read = await previews.run(caller, "read_document", ImportRequest(yaml=body.yaml or "", name=None))
    return await plan.power_of_new(session, *from_document(ReadDocument.model_validate_json(read)), body)


@router.post("/experiments/{experiment_id:uuid}/calibrations", status_code=status.HTTP_201_CREATED)
async def start_calibration(
    experiment_id: UUID, body: CalibrationRequest, session: SessionDep, caller: Experimenter
) -> RunDetail:
    """Queue a run that compares one arm of the experiment with itself, to measure the noise of these hosts."""
    run = await calibrate.calibrate(session, caller, experiment_id, body)
    return await recorded(session, caller, Act.calibration_started, run, of_experiment=str(experiment_id))


@router.get("/hosts/{host_id:uuid}/calibrations")
async def list_calibrations(host_id: UUID, session: SessionDep, _: Viewer, page: Paging) -> Page[CalibrationOut]:
    """What comparisons of identical arms showed on a host, newest first, and which of them are stale."""
    return page.of(list(await calibrate.of_host(session, host_id)))
