"""Links of those who may make them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, status
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Administrator, Caller, Experimenter, ExperimenterConfirmed
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.compare.selection import MOST_RUNS, Asked
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, NotFound, responses
from ngxlab.core.paging import CountedPage, Page, Paging
from ngxlab.shares import service
from ngxlab.shares.schemas import ComparisonShareCreate, LiveShare, ShareCreate, ShareCreated, ShareOut
from ngxlab.shares.service import share_object
from ngxlab.shares.subjects import OfComparison, OfReport, OfTrends, Subject

router = APIRouter(route_class=GuardedRoute, tags=["shares"])

_Runs = Annotated[list[UUID], Query(min_length=2, max_length=MOST_RUNS, description="The runs; repeat it for each.")]


@router.get("/runs/{run_id:uuid}/shares")
async def list_shares(run_id: UUID, session: SessionDep, caller: Experimenter, page: Paging) -> Page[ShareOut]:
    """Which links show one of your own runs, newest first, including revoked ones; comparisons and trends as well."""
    return page.of(await service.of_run(session, caller, run_id))


@router.post("/runs/{run_id:uuid}/shares", status_code=status.HTTP_201_CREATED)
async def create_share(
    run_id: UUID, body: ShareCreate, request: Request, session: SessionDep, caller: ExperimenterConfirmed
) -> ShareCreated:
    """Create a link that shows the report, as it stands now, without an account; only this answer contains it."""
    return await _create(session, request, caller, OfReport(run_id), body)


@router.get("/compare/shares", responses=responses(NotFound))
async def list_comparison_shares(
    runs: _Runs, session: SessionDep, caller: Experimenter, page: Paging
) -> Page[ShareOut]:
    """Which links compare these runs of yours, newest first, including revoked ones."""
    asked = Asked(runs=list(dict.fromkeys(runs)))
    return page.of(await service.of_comparison(session, caller, OfComparison(asked)))


@router.post("/compare/shares", status_code=status.HTTP_201_CREATED, responses=responses(NotFound, Conflict))
async def create_comparison_share(
    body: ComparisonShareCreate, request: Request, session: SessionDep, caller: ExperimenterConfirmed
) -> ShareCreated:
    """Create a link that shows a comparison of your runs, as it stands now, without an account."""
    asked = Asked(runs=list(dict.fromkeys(body.runs)), arms=body.arms, baseline=body.baseline, factors=body.factor)
    return await _create(session, request, caller, OfComparison(asked), body)


@router.get("/experiments/{experiment_id:uuid}/trends/shares")
async def list_trends_shares(
    experiment_id: UUID, session: SessionDep, caller: Experimenter, page: Paging
) -> Page[ShareOut]:
    """Which links show the trends of your experiment, newest first, including revoked ones."""
    return page.of(await service.of_trends(session, caller, OfTrends(experiment_id)))


@router.post("/experiments/{experiment_id:uuid}/trends/shares", status_code=status.HTTP_201_CREATED)
async def create_trends_share(
    experiment_id: UUID, body: ShareCreate, request: Request, session: SessionDep, caller: ExperimenterConfirmed
) -> ShareCreated:
    """Create a link that shows the trends of your experiment, as they stand now, without an account."""
    return await _create(session, request, caller, OfTrends(experiment_id), body)


async def _create(
    session: AsyncSession, request: Request, caller: Caller, subject: Subject, body: ShareCreate
) -> ShareCreated:
    share, made = await service.create(session, request.app.state.settings, caller, subject, body)
    on = await share_object(session, share)
    await record(session, caller.actor, Act.share_created, on, expires_in_days=body.expires_in_days)
    return made


@router.get("/shares")
async def list_live_shares(session: SessionDep, _: Administrator, page: Paging) -> CountedPage[LiveShare]:
    """All links that have not ended, whoever made them, newest first."""
    return await service.live(session, page)


@router.post("/shares/{share_id:uuid}/refresh")
async def refresh_share(share_id: UUID, session: SessionDep, caller: ExperimenterConfirmed) -> ShareOut:
    """Let a link show what stands there now."""
    share, out = await service.refresh(session, caller, share_id)
    await record(session, caller.actor, Act.share_refreshed, await share_object(session, share))
    return out


@router.delete("/shares/{share_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def revoke_share(share_id: UUID, session: SessionDep, caller: Experimenter) -> None:
    """Revoke a link immediately."""
    share = await service.revoke(session, caller, share_id)
    await record(session, caller.actor, Act.share_revoked, await share_object(session, share))
