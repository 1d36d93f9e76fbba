"""/trials: the series and kept files of a trial."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from ngxlab.accounts.access import Viewer
from ngxlab.analysis.series.derive import Wanted, Within
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Invalid
from ngxlab.core.paging import Page, Paging
from ngxlab.metrics import repository as metrics
from ngxlab.metrics.schemas import TrialLatencyMaps, TrialMoment, TrialSeries
from ngxlab.runs import service
from ngxlab.runs.schemas import ArtefactOut
from ngxlab.runs.telemetry import trial_latency_maps, trial_moment, trial_series

router = APIRouter(route_class=GuardedRoute, prefix="/trials", tags=["trials"])

_LONGEST_S = 1e7
"""A third of a year, longer than any trial."""
_Seconds = Annotated[float, Field(ge=-_LONGEST_S, le=_LONGEST_S, allow_inf_nan=False)] | None
_FROM = "only from this second of the measured window on, as finely as so many points allow"
_TO = "only until this second of the measured window"
Points = Annotated[int, Query(ge=10, le=10_000)]


def within(
    begin_s: Annotated[_Seconds, Query(alias="from", description=_FROM)] = None,
    end_s: Annotated[_Seconds, Query(alias="to", description=_TO)] = None,
) -> Within | None:
    """Dependency: a part of the trial, if either end is given."""
    if begin_s is None and end_s is None:
        return None
    part = (-_LONGEST_S if begin_s is None else begin_s, _LONGEST_S if end_s is None else end_s)
    if part[0] >= part[1]:
        raise Invalid(
            f"The part from {part[0]:g} s to {part[1]:g} s has no length: name an earlier from or a later to."
        )
    return part


Part = Annotated[Within | None, Depends(within)]
Keys = Annotated[list[str] | None, Query(max_length=50)]


@router.get("/{trial_id:uuid}/series")
async def get_trial_series(
    trial_id: UUID, session: SessionDep, _: Viewer, part: Part, points: Points = 600, keys: Keys = None
) -> TrialSeries:
    """A trial's derived series, at most ``points`` a line: all of them, or those of ``keys`` of the catalogue.

    Of a part of the trial (``from``, ``to``), they have more detail: as many points a line.
    """
    trial = await service.trial(session, trial_id)
    return await trial_series(session, await service.get(session, trial.run_id), trial, Wanted(points, keys, part))


@router.get("/{trial_id:uuid}/latency-maps")
async def get_trial_latency_maps(trial_id: UUID, session: SessionDep, _: Viewer) -> TrialLatencyMaps:
    """Latency over the time of a trial: counts of requests in at most 120 columns of 40 buckets for each stream."""
    trial = await service.trial(session, trial_id)
    return await trial_latency_maps(session, await service.get(session, trial.run_id), trial)


Moment = Annotated[
    float, Query(ge=-_LONGEST_S, le=_LONGEST_S, allow_inf_nan=False, description="second of the measured window")
]
Near = Annotated[float, Query(ge=0.1, le=60, allow_inf_nan=False, description="so many seconds before and after it")]


@router.get("/{trial_id:uuid}/moment")
async def get_trial_moment(
    trial_id: UUID, session: SessionDep, _: Viewer, at: Moment, within: Near = 2.0
) -> TrialMoment:
    """What happened around a moment of a trial: perturbations, log lines, and the lines of charts that stood out."""
    trial = await service.trial(session, trial_id)
    return await trial_moment(session, await service.get(session, trial.run_id), trial, at, within)


@router.get("/{trial_id:uuid}/artefacts")
async def get_trial_artefacts(trial_id: UUID, session: SessionDep, _: Viewer, page: Paging) -> Page[ArtefactOut]:
    """The kept files of a trial: nginx.conf as it ran, nginx -V, error.log, wrk's print."""
    await service.trial(session, trial_id)
    artefacts = await metrics.artefacts(session, trial_id)
    kept = [ArtefactOut(name=item.name, text=item.text, truncated=item.truncated) for item in artefacts]
    return page.of(kept)
