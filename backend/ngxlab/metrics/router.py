"""/metrics and the series and files of trials."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from ngxlab.access import Viewer
from ngxlab.database import SessionDep
from ngxlab.errors import NotFound, responses
from ngxlab.metrics import repository, service
from ngxlab.metrics.derive_catalogue import CATALOGUE
from ngxlab.metrics.derive_schemas import SeriesInfo
from ngxlab.metrics.schemas import TrialSeries
from ngxlab.runs import service as runs
from ngxlab.runs.schemas import ArtefactOut

router = APIRouter(tags=["metrics"])

Points = Annotated[int, Query(ge=10, le=10_000)]
Keys = Annotated[list[str] | None, Query(max_length=50)]


@router.get("/metrics/catalogue")
async def get_catalogue(_: Viewer) -> list[SeriesInfo]:
    """What can be charted: titles, units, and what is better, if anything."""
    return list(CATALOGUE)


@router.get("/trials/{trial_id}/series", responses=responses(NotFound))
async def get_trial_series(
    trial_id: UUID, session: SessionDep, _: Viewer, points: Points = 600, keys: Keys = None
) -> TrialSeries:
    """A trial's derived series, at most ``points`` a line: all of them, or those of ``keys`` of the catalogue."""
    trial = await runs.trial(session, trial_id)
    return await service.trial_series(session, await runs.get(session, trial.run_id), trial, points, keys)


@router.get("/trials/{trial_id}/artefacts", responses=responses(NotFound))
async def get_trial_artefacts(trial_id: UUID, session: SessionDep, _: Viewer) -> list[ArtefactOut]:
    """The kept files of a trial: nginx.conf as it ran, nginx -V, error.log, wrk's print."""
    await runs.trial(session, trial_id)
    found = await repository.artefacts(session, trial_id)
    return [ArtefactOut(name=item.name, text=item.text, truncated=item.truncated) for item in found]
