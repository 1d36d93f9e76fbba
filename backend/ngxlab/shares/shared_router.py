"""What anyone with a link may read."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Depends, Response

from ngxlab.analysis.series.catalogue import CATALOGUE
from ngxlab.analysis.series.derive import Wanted
from ngxlab.core.access import GuardedRoute, public
from ngxlab.core.database import SessionDep
from ngxlab.core.paging import Page, Paging
from ngxlab.metrics import repository as metrics
from ngxlab.metrics.schemas import TrialLatencyMaps, TrialSeries
from ngxlab.profiles import service as profiles
from ngxlab.profiles.router import AgainstQuery, ArmPath, ComparedQuery
from ngxlab.profiles.schemas import ArmPhasesOut, ArmProfileOut, ProfileDifference, ProfileSummary
from ngxlab.reports.redaction import redacted, redacted_series
from ngxlab.runs.schemas import ArtefactOut
from ngxlab.runs.telemetry import trial_latency_maps, trial_series
from ngxlab.runs.telemetry_router import Part, Points
from ngxlab.shares import service
from ngxlab.shares.models import ShareKind
from ngxlab.shares.schemas import SharedComparison, SharedReport, SharedTrends
from ngxlab.shares.service import record_opening
from ngxlab.shares.snapshots import picture, shown

router = APIRouter(route_class=GuardedRoute, prefix="/shared", tags=["shared"], dependencies=[Depends(public)])

_PICTURE: dict[int | str, dict[str, Any]] = {200: {"description": "The picture", "content": {"image/png": {}}}}


def _unindexed(response: Response) -> None:
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"


@router.get("/{token}")
async def get_shared_report(token: str, response: Response, session: SessionDep) -> SharedReport:
    """The report behind a link, as it was when the link was made or refreshed; while its run goes on, as it is now."""
    _unindexed(response)
    share = await service.shared(session, token, ShareKind.report)
    content, as_of = await shown(session, share)
    await record_opening(session, share, "report")
    return SharedReport(**dict(content), as_of=as_of)


@router.get("/{token}/comparison")
async def get_shared_comparison(token: str, response: Response, session: SessionDep) -> SharedComparison:
    """The comparison behind a link, as it was when the link was made or refreshed."""
    _unindexed(response)
    share = await service.shared(session, token, ShareKind.comparison)
    content, as_of = await shown(session, share)
    await record_opening(session, share, "comparison")
    return SharedComparison.model_validate({**dict(content), "as_of": as_of, "catalogue": CATALOGUE})


@router.get("/{token}/trends")
async def get_shared_trends(token: str, response: Response, session: SessionDep) -> SharedTrends:
    """The trends behind a link, as they were when the link was made or refreshed."""
    _unindexed(response)
    share = await service.shared(session, token, ShareKind.trends)
    content, as_of = await shown(session, share)
    await record_opening(session, share, "trends")
    return SharedTrends.model_validate({**dict(content), "as_of": as_of})


@router.get("/{token}/picture.png", response_class=Response, responses=_PICTURE)
async def get_shared_picture(token: str, session: SessionDep) -> Response:
    """The answers behind a link as a picture, for previews of the link."""
    drawn = await picture(session, await service.shared(session, token))
    answer = Response(drawn, media_type="image/png")
    _unindexed(answer)
    return answer


@router.get("/{token}/trials/{trial_id:uuid}/series")
async def get_shared_series(
    token: str, trial_id: UUID, response: Response, session: SessionDep, *, part: Part, points: Points = 600
) -> TrialSeries:
    """The chart data of one trial in a report or a comparison, or of a part of it in more detail."""
    _unindexed(response)
    share = await service.shared(session, token)
    run, trial = await service.shared_trial(session, share, trial_id)
    series = await trial_series(session, run, trial, Wanted(points, within=part))
    await record_opening(session, share, "series")
    return redacted_series(series)


@router.get("/{token}/trials/{trial_id:uuid}/latency-maps")
async def get_shared_latency_maps(
    token: str, trial_id: UUID, response: Response, session: SessionDep
) -> TrialLatencyMaps:
    """Latency over the time of one trial in a report: counts of requests by column of time and bucket."""
    _unindexed(response)
    share = await service.shared(session, token, ShareKind.report)
    run, trial = await service.shared_trial(session, share, trial_id)
    maps = await trial_latency_maps(session, run, trial)
    await record_opening(session, share, "series")
    return maps


@router.get("/{token}/trials/{trial_id:uuid}/artefacts")
async def get_shared_artefacts(
    token: str, trial_id: UUID, response: Response, session: SessionDep, page: Paging
) -> Page[ArtefactOut]:
    """The kept files of one trial in a report."""
    _unindexed(response)
    share = await service.shared(session, token, ShareKind.report)
    await service.shared_trial(session, share, trial_id)
    artefacts = await metrics.artefacts(session, trial_id)
    await record_opening(session, share, "files")
    kept = [ArtefactOut(name=item.name, text=redacted(item.text), truncated=item.truncated) for item in artefacts]
    return page.of(kept)


@router.get("/{token}/profiles")
async def list_shared_profiles(
    token: str, response: Response, session: SessionDep, page: Paging
) -> Page[ProfileSummary]:
    """The arms of the report behind a link that were profiled."""
    return page.of(await profiles.summaries(session, await _profiled_run(token, response, session)))


@router.get("/{token}/phases")
async def list_shared_phases(
    token: str, response: Response, session: SessionDep, page: Paging, against: ComparedQuery = None
) -> Page[ArmPhasesOut]:
    """Where the time of requests goes in the arms of the report behind a link."""
    return page.of(await profiles.phases(session, await _profiled_run(token, response, session), against))


@router.get("/{token}/profiles/{arm_key}")
async def get_shared_profile(token: str, arm_key: ArmPath, response: Response, session: SessionDep) -> ArmProfileOut:
    """Where the CPU time of an arm of the report goes."""
    return await profiles.profile(session, await _profiled_run(token, response, session), arm_key)


@router.get("/{token}/profiles/{arm_key}/difference")
async def get_shared_profile_difference(
    token: str, arm_key: ArmPath, response: Response, session: SessionDep, against: AgainstQuery
) -> ProfileDifference:
    """Which functions take more or less CPU time a request in one arm of the report than in another."""
    return await profiles.difference(session, await _profiled_run(token, response, session), arm_key, against)


async def _profiled_run(token: str, response: Response, session: SessionDep) -> UUID:
    """The run of the report behind a link."""
    _unindexed(response)
    share = await service.shared(session, token, ShareKind.report)
    await record_opening(session, share, "series")
    return share.runs[0].run_id
