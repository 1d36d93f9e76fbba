"""Schedules as people use them: create, list, pause, resume, remove."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository as accounts
from ngxlab.accounts.access import Caller, require_owner
from ngxlab.accounts.models import Role
from ngxlab.audit.record import Object
from ngxlab.core.clock import utcnow
from ngxlab.core.errors import Conflict, existing, invalid
from ngxlab.core.stored_json import read, read_or_none
from ngxlab.runs import service as runs
from ngxlab.runs.states import RunState
from ngxlab.schedules import repository
from ngxlab.schedules.models import Occurrence, Outcome, Schedule
from ngxlab.schedules.schemas import OccurrenceOut, ScheduleCreate, ScheduleOut, ScheduleUpdate
from ngxlab.schedules.timing import Timing, in_words

_MOST_SCHEDULES = 20


async def create(session: AsyncSession, caller: Caller, experiment_id: UUID, request: ScheduleCreate) -> ScheduleOut:
    """Raises what starting the run now would, Invalid for a time that never comes, Conflict for a schedule too many."""
    if request.run.seed is not None:
        raise invalid("run.seed", "Each run of a schedule draws a seed of its own; leave it out.")
    await runs.check(session, caller, experiment_id, request.run)
    first = request.timing.next_after(utcnow(), request.last_day)
    if first is None:
        raise invalid("timing", "This time is over, or never comes before the last day.")
    await accounts.locked_account(session, caller.account.id)  # so that two requests at once are counted
    if await repository.count_open(session, caller.account.id) >= _MOST_SCHEDULES:
        raise Conflict(
            "You have {most} schedules already. Remove one first.", most=_MOST_SCHEDULES, code="too-many-schedules"
        )
    schedule = Schedule(
        experiment_id=experiment_id,
        created_by=caller.account.id,
        token_id=caller.token.id if caller.token is not None else None,
        timing=request.timing.model_dump(mode="json"),
        request=request.run.model_dump(mode="json"),
        last_day=request.last_day,
        most_runs=request.most_runs,
        next_at=first,
    )
    session.add(schedule)
    await session.flush()
    await session.refresh(schedule)
    return _shown(schedule, [], caller)


def named(schedule: Schedule) -> Object:
    """What the audit log calls it."""
    return Object("schedule", schedule.id, f"{schedule.experiment.name}, {_words(schedule)}")


def _words(schedule: Schedule) -> str:
    timing = _timing_or_none(schedule)
    return in_words(timing) if timing is not None else "at a time that cannot be read"


def _timing_or_none(schedule: Schedule) -> Timing | None:
    return read_or_none(Timing, schedule.timing, "The timing of a schedule")


def timing_of(schedule: Schedule) -> Timing:
    """Raises Unreadable."""
    return read(Timing, schedule.timing, "The timing of this schedule")


async def list_of(session: AsyncSession, caller: Caller, experiment_id: UUID | None) -> list[ScheduleOut]:
    found = await repository.schedules(session, caller, experiment_id)
    latest = await repository.latest_occurrences(session, [schedule.id for schedule in found])
    return [_shown(schedule, latest.get(schedule.id, []), caller) for schedule in found]


async def own(session: AsyncSession, caller: Caller, schedule_id: UUID) -> Schedule:
    """Locked. Raises NotFound, and Forbidden where it is somebody else's."""
    schedule = existing(await repository.locked(session, schedule_id), "schedule")
    require_owner(caller, schedule.created_by, "schedule")
    return schedule


async def update(session: AsyncSession, caller: Caller, schedule_id: UUID, request: ScheduleUpdate) -> ScheduleOut:
    """Pause or resume. Times that pass while it is paused are not made up for. Raises Conflict once it has ended."""
    schedule = await own(session, caller, schedule_id)
    if _state(schedule) == "ended":
        raise Conflict("This schedule has ended.", code="schedule-ended")
    if request.paused != (schedule.paused_at is not None):
        schedule.paused_at = utcnow() if request.paused else None
        schedule.pause_reason = None
        schedule.next_at = None if request.paused else following(schedule)
        if not request.paused:
            schedule.token_id = caller.token.id if caller.token is not None else None
            await session.flush()
            await session.refresh(schedule)
    latest = await repository.latest_occurrences(session, [schedule.id])
    return _shown(schedule, latest.get(schedule.id, []), caller)


def following(schedule: Schedule) -> datetime | None:
    """Its next time from now on, or None where it has ended."""
    if schedule.most_runs is not None and schedule.started >= schedule.most_runs:
        return None
    return timing_of(schedule).next_after(utcnow(), schedule.last_day)


def _state(schedule: Schedule) -> Literal["active", "paused", "ended"]:
    if schedule.paused_at is not None:
        return "paused"
    return "active" if schedule.next_at is not None else "ended"


def _shown(schedule: Schedule, latest: Sequence[Occurrence], caller: Caller) -> ScheduleOut:
    is_owner = caller.account.id == schedule.created_by and caller.role.includes(Role.experimenter)
    return ScheduleOut(
        id=schedule.id,
        experiment_id=schedule.experiment_id,
        experiment_name=schedule.experiment.name,
        created_by=schedule.author.email,
        by_token=schedule.token.name if schedule.token is not None else None,
        created_at=schedule.created_at,
        may_change=is_owner or caller.role == Role.administrator,
        timing=_timing_or_none(schedule),
        text=_words(schedule),
        state=_state(schedule),
        pause_reason=schedule.pause_reason,
        next_at=schedule.next_at,
        last_day=schedule.last_day,
        most_runs=schedule.most_runs,
        started=schedule.started,
        latest=[_occurrence(one) for one in latest],
    )


def _occurrence(one: Occurrence) -> OccurrenceOut:
    return OccurrenceOut(
        due_at=one.due_at,
        outcome=Outcome(one.outcome),
        reason=one.reason,
        run_id=one.run_id,
        run_number=one.run.number if one.run else None,
        run_state=RunState(one.run.state) if one.run else None,
    )
