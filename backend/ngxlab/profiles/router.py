"""/runs/ID/profiles."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import PlainTextResponse

from ngxlab.accounts.access import Viewer
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.paging import Page, Paging
from ngxlab.profiles import service
from ngxlab.profiles.schemas import ArmPhasesOut, ArmProfileOut, ProfileDifference, ProfileSummary

router = APIRouter(route_class=GuardedRoute, tags=["reports"])

ArmPath = Annotated[str, Path(max_length=700, description="key of an arm of the run")]
AgainstQuery = Annotated[str, Query(max_length=700, description="key of the arm to compare with")]
ComparedQuery = Annotated[
    str | None, Query(max_length=700, description="key of the arm to compare with; without it, none is compared")
]

_BINARY = "application/octet-stream"
_PPROF: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file", "content": {_BINARY: {"schema": {"type": "string", "format": "binary"}}}}
}


@router.get("/runs/{run_id:uuid}/profiles")
async def list_profiles(run_id: UUID, session: SessionDep, _: Viewer, page: Paging) -> Page[ProfileSummary]:
    """The arms of a run that were profiled, with what they spent on a request."""
    return page.of(await service.summaries(session, run_id))


@router.get("/runs/{run_id:uuid}/phases")
async def list_phases(
    run_id: UUID, session: SessionDep, _: Viewer, page: Paging, against: ComparedQuery = None
) -> Page[ArmPhasesOut]:
    """Where the time of requests goes, by arm: reading, connecting, waiting for an upstream server, writing."""
    return page.of(await service.phases(session, run_id, against))


@router.get("/runs/{run_id:uuid}/profiles/{arm_key}")
async def get_profile(run_id: UUID, arm_key: ArmPath, session: SessionDep, _: Viewer) -> ArmProfileOut:
    """Where the CPU time of an arm goes: stacks of functions with their samples, all its profiles together."""
    return await service.profile(session, run_id, arm_key)


@router.get("/runs/{run_id:uuid}/profiles/{arm_key}/folded", response_class=PlainTextResponse)
async def get_folded_profile(run_id: UUID, arm_key: ArmPath, session: SessionDep, _: Viewer) -> PlainTextResponse:
    """The same as folded stacks, which tools for flame graphs read: a line a stack."""
    return PlainTextResponse(await service.folded_stacks(session, run_id, arm_key))


@router.get("/runs/{run_id:uuid}/profiles/{arm_key}/pprof", response_class=Response, responses=_PPROF)
async def get_pprof_profile(run_id: UUID, arm_key: ArmPath, session: SessionDep, _: Viewer) -> Response:
    """The same for pprof, and what reads its files: a packed message of protocol buffers."""
    return Response(await service.for_pprof(session, run_id, arm_key), media_type=_BINARY)


@router.get("/runs/{run_id:uuid}/profiles/{arm_key}/difference")
async def get_profile_difference(
    run_id: UUID, arm_key: ArmPath, session: SessionDep, _: Viewer, against: AgainstQuery
) -> ProfileDifference:
    """Which functions take more or less CPU time a request in one arm than in another."""
    return await service.difference(session, run_id, arm_key, against)
