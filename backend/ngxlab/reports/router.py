"""Reports, their share links, and what anyone with such a link may read."""

import asyncio
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response, status

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute, public
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, Forbidden, NotFound, responses
from ngxlab.metrics import repository as metrics
from ngxlab.metrics.schemas import TrialSeries
from ngxlab.reports import service
from ngxlab.reports.audited import record_opening, share_object
from ngxlab.reports.redaction import redacted, redacted_report, redacted_series
from ngxlab.reports.schemas import Report, ShareCreate, ShareCreated, ShareOut
from ngxlab.runs.schemas import ArtefactOut
from ngxlab.runs.telemetry import trial_series
from ngxlab.runs.telemetry_router import Points

router = APIRouter(route_class=GuardedRoute, tags=["reports"])
shared_router = APIRouter(route_class=GuardedRoute, prefix="/shared", tags=["shared"], dependencies=[Depends(public)])


@router.get("/runs/{run_id:uuid}/report", responses=responses(NotFound))
async def get_report(run_id: UUID, session: SessionDep, caller: Viewer) -> Report:
    """The report of a run, also while it is running and after it has failed."""
    return await service.report(session, run_id, caller)


@router.get("/runs/{run_id:uuid}/shares", responses=responses(NotFound, Forbidden))
async def list_shares(run_id: UUID, session: SessionDep, caller: Experimenter) -> list[ShareOut]:
    """Which links one of your own runs has, newest first, including revoked ones."""
    return await service.shares(session, caller, run_id)


@router.post(
    "/runs/{run_id:uuid}/shares", status_code=status.HTTP_201_CREATED, responses=responses(NotFound, Forbidden)
)
async def create_share(
    run_id: UUID, body: ShareCreate, request: Request, session: SessionDep, caller: Experimenter
) -> ShareCreated:
    """Create a link that shows the report without an account; only this answer contains it."""
    made = await service.create_share(session, request.app.state.settings, caller, run_id, body)
    on = await share_object(session, made.id, run_id)
    await record(session, caller.actor, Act.share_created, on, expires_in_days=body.expires_in_days)
    return made


@router.delete(
    "/shares/{share_id:uuid}", status_code=status.HTTP_204_NO_CONTENT, responses=responses(NotFound, Forbidden)
)
async def revoke_share(share_id: UUID, session: SessionDep, caller: Experimenter) -> None:
    """Revoke a link immediately."""
    share = await service.revoke_share(session, caller, share_id)
    await record(session, caller.actor, Act.share_revoked, await share_object(session, share.id, share.run_id))


def _unindexed(response: Response) -> None:
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"


@shared_router.get("/{token}", responses=responses(NotFound))
async def get_shared_report(token: str, response: Response, session: SessionDep) -> Report:
    """The report behind a link."""
    _unindexed(response)
    share = await service.shared(session, token)
    report = await service.report(session, share.run_id, None)
    await record_opening(session, share, "report")
    return await asyncio.to_thread(redacted_report, report)


@shared_router.get("/{token}/trials/{trial_id:uuid}/series", responses=responses(NotFound, Conflict))
async def get_shared_series(
    token: str, trial_id: UUID, response: Response, session: SessionDep, points: Points = 600
) -> TrialSeries:
    """The chart data of one trial in the report."""
    _unindexed(response)
    share = await service.shared(session, token)
    run, trial = await service.shared_trial(session, share, trial_id)
    series = await trial_series(session, run, trial, points)
    await record_opening(session, share, "series")
    return redacted_series(series)


@shared_router.get("/{token}/trials/{trial_id:uuid}/artefacts", responses=responses(NotFound))
async def get_shared_artefacts(
    token: str, trial_id: UUID, response: Response, session: SessionDep
) -> list[ArtefactOut]:
    """The kept files of one trial in the report."""
    _unindexed(response)
    share = await service.shared(session, token)
    await service.shared_trial(session, share, trial_id)
    artefacts = await metrics.artefacts(session, trial_id)
    await record_opening(session, share, "files")
    return [ArtefactOut(name=item.name, text=redacted(item.text), truncated=item.truncated) for item in artefacts]
