"""/trials: the series and kept files of a trial."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from ngxlab.accounts.access import Viewer
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, NotFound, responses
from ngxlab.metrics import repository as metrics
from ngxlab.metrics.schemas import TrialLatencyMaps, TrialSeries
from ngxlab.runs import service
from ngxlab.runs.schemas import ArtefactOut
from ngxlab.runs.telemetry import trial_latency_maps, trial_series

router = APIRouter(route_class=GuardedRoute, prefix="/trials", tags=["trials"])

Points = Annotated[int, Query(ge=10, le=10_000)]
Keys = Annotated[list[str] | None, Query(max_length=50)]


@router.get("/{trial_id:uuid}/series", responses=responses(NotFound, Conflict))
async def get_trial_series(
    trial_id: UUID, session: SessionDep, _: Viewer, points: Points = 600, keys: Keys = None
) -> TrialSeries:
    """A trial's derived series, at most ``points`` a line: all of them, or those of ``keys`` of the catalogue."""
    trial = await service.trial(session, trial_id)
    return await trial_series(session, await service.get(session, trial.run_id), trial, points, keys)


@router.get("/{trial_id:uuid}/latency-maps", responses=responses(NotFound, Conflict))
async def get_trial_latency_maps(trial_id: UUID, session: SessionDep, _: Viewer) -> TrialLatencyMaps:
    """How many requests of a trial took how long, over its time: at most 120 columns of 40 buckets for each stream."""
    trial = await service.trial(session, trial_id)
    return await trial_latency_maps(session, await service.get(session, trial.run_id), trial)


@router.get("/{trial_id:uuid}/artefacts", responses=responses(NotFound))
async def get_trial_artefacts(trial_id: UUID, session: SessionDep, _: Viewer) -> list[ArtefactOut]:
    """The kept files of a trial: nginx.conf as it ran, nginx -V, error.log, wrk's print."""
    await service.trial(session, trial_id)
    artefacts = await metrics.artefacts(session, trial_id)
    return [ArtefactOut(name=item.name, text=item.text, truncated=item.truncated) for item in artefacts]
