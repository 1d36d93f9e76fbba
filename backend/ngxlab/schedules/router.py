"""/schedules: when experiments run by themselves."""

from uuid import UUID

from fastapi import APIRouter, status
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.paging import Page, Paging
from ngxlab.schedules import service
from ngxlab.schedules.schemas import ScheduleCreate, ScheduleOut, ScheduleUpdate

router = APIRouter(route_class=GuardedRoute, tags=["schedules"])


async def _recorded(session: AsyncSession, caller: Caller, act: Act, schedule: ScheduleOut) -> ScheduleOut:
    """Enter in the audit log what was done to a schedule; returns the schedule."""
    on = Object("schedule", schedule.id, f"{schedule.experiment_name}, {schedule.text}")
    await record(session, caller.actor, act, on, state=schedule.state)
    return schedule


@router.get("/schedules")
async def list_schedules(
    session: SessionDep, caller: Viewer, page: Paging, experiment_id: UUID | None = None
) -> Page[ScheduleOut]:
    """Schedules of one experiment or of all, the next due first."""
    return page.of(await service.list_of(session, caller, experiment_id))


@router.post("/experiments/{experiment_id:uuid}/schedules", status_code=status.HTTP_201_CREATED)
async def create_schedule(
    experiment_id: UUID, body: ScheduleCreate, session: SessionDep, caller: Experimenter
) -> ScheduleOut:
    """Run the experiment's latest version by itself, as you; refused where a run could not be started now."""
    made = await service.create(session, caller, experiment_id, body)
    return await _recorded(session, caller, Act.schedule_created, made)


@router.patch("/schedules/{schedule_id:uuid}")
async def update_schedule(
    schedule_id: UUID, body: ScheduleUpdate, session: SessionDep, caller: Experimenter
) -> ScheduleOut:
    """Pause or resume one of your own schedules."""
    changed = await service.update(session, caller, schedule_id, body)
    return await _recorded(session, caller, Act.schedule_changed, changed)


@router.delete("/schedules/{schedule_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def remove_schedule(schedule_id: UUID, session: SessionDep, caller: Experimenter) -> None:
    """Remove one of your own schedules; the runs that it has started stay."""
    schedule = await service.own(session, caller, schedule_id)
    await record(session, caller.actor, Act.schedule_removed, service.named(schedule))
    await session.delete(schedule)
