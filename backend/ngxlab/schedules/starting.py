"""Start what is due: each time once, whatever restarts and however many processes look.

The schedule's row is locked, and the time's own row (unique), the run, and the next time are stored in one transaction.
"""

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import structlog
from sqlalchemy import or_
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller
from ngxlab.accounts.models import Role
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record, system
from ngxlab.core.clock import utcnow
from ngxlab.core.database import is_away
from ngxlab.core.errors import ApiError
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Queue, Round, job
from ngxlab.core.stored_json import Unreadable, read
from ngxlab.experiments import repository as experiments
from ngxlab.outbox.models import NotificationKind
from ngxlab.outbox.repository import post
from ngxlab.runs import service as runs
from ngxlab.runs.schemas import RunCreate
from ngxlab.runs.service import run_object
from ngxlab.runs.states import RunState
from ngxlab.schedules import repository
from ngxlab.schedules.models import Occurrence, Outcome, Schedule
from ngxlab.schedules.service import timing_of
from ngxlab.schedules.timing import in_words

log = structlog.get_logger()

_LATEST_START = timedelta(hours=1)
_MISSED = "The server was not running then, and more than an hour has passed since."
_MISSED_AT_ONCE = 1_000
_NOT_STORED = "What became of its time could not be stored; the server's log says why. Resume it to try the next time."
_PAUSING = {"archived", "owner-may-not", "token-ended", "team"}
"""Reasons that do not pass by themselves."""


class _Result(NamedTuple):
    outcome: Outcome
    reason: str | None = None
    run_id: UUID | None = None
    code: str | None = None


@job("schedules", Queue.now, limit_s=120, is_round=True)
async def settle_all(task: Task) -> None:
    """See to all that is due, each time of a schedule in a transaction of its own."""
    async with task.database.transaction() as session:
        await pause_of_disabled(session, utcnow())
    while True:
        async with task.database.transaction() as session:
            if not await settle_next(session, utcnow()):
                return


def round_of_schedules() -> Round:
    return Round(settle_all, question=or_(repository.is_any_due(), repository.is_any_of_disabled()))


async def pause_of_disabled(session: AsyncSession, now: datetime) -> None:
    """Whose owner was disabled: it is paused at once, and not only when its next time comes."""
    for schedule in await repository.of_disabled(session):
        _pause(schedule, now, _may_not(schedule))


async def settle_next(session: AsyncSession, now: datetime) -> bool:
    """Start, skip or miss what has been due for longest; whether anything was due.

    A schedule whose time cannot be stored is paused: it must not keep all others from their times.
    """
    schedule = await repository.claim_due(session, now)
    if schedule is None or schedule.next_at is None:
        return False
    schedule_id = str(schedule.id)
    try:
        async with session.begin_nested():
            await _settle_due(session, schedule, schedule.next_at, now)
    except SQLAlchemyError as error:
        if is_away(error):
            raise
        log.exception("a time of a schedule could not be stored", schedule_id=schedule_id)
        _pause(schedule, now, _NOT_STORED)
    return True


async def _settle_due(session: AsyncSession, schedule: Schedule, due: datetime, now: datetime) -> None:
    if missed := await _miss(session, schedule, now):
        others = len(missed) - 1
        reason = f"{_MISSED} So it was at {others} later times, until {_at(missed[-1])}." if others else _MISSED
        await _tell(session, schedule, missed[0], reason)
        return
    result = await _settle(session, schedule, due)
    await _note(session, schedule, due, result)
    _advance_or_pause(schedule, due, now)
    if result.code in _PAUSING:
        _pause(schedule, now, result.reason or "")
    if result.outcome is Outcome.refused:
        await _tell(session, schedule, due, result.reason or "")
    await session.flush()


def _pause(schedule: Schedule, now: datetime, reason: str) -> None:
    schedule.paused_at, schedule.pause_reason, schedule.next_at = now, reason, None


def _may_not(schedule: Schedule) -> str:
    return f"{schedule.author.email} may not start runs any more."


async def _miss(session: AsyncSession, schedule: Schedule, now: datetime) -> list[datetime]:
    """The times that are over for too long to start anything: each has its outcome, and all of them one message."""
    missed: list[datetime] = []
    while (due := schedule.next_at) is not None and now - due > _LATEST_START and len(missed) < _MISSED_AT_ONCE:
        await _note(session, schedule, due, _Result(Outcome.missed, _MISSED))
        _advance_or_pause(schedule, due, now)
        missed.append(due)
    return missed


async def _note(session: AsyncSession, schedule: Schedule, due: datetime, result: _Result) -> None:
    """A time that has its outcome already keeps it: the schedule goes on, and so do all others."""
    if await repository.has_outcome(session, schedule.id, due):
        log.warning("a time of a schedule has its outcome already", schedule_id=str(schedule.id), due_at=str(due))
        return
    session.add(
        Occurrence(
            schedule_id=schedule.id, due_at=due, outcome=result.outcome, reason=result.reason, run_id=result.run_id
        )
    )
    schedule.started += result.outcome == Outcome.started


def _advance_or_pause(schedule: Schedule, due: datetime, now: datetime) -> None:
    try:
        _advance(schedule, due)
    except Unreadable as error:  # it must not keep all others from their times
        _pause(schedule, now, error.detail)


def _advance(schedule: Schedule, due: datetime) -> None:
    """To the time after ``due``, even if that is over too: each time has its outcome."""
    ended = schedule.most_runs is not None and schedule.started >= schedule.most_runs
    schedule.next_at = None if ended else timing_of(schedule).next_after(due, schedule.last_day)


async def _settle(session: AsyncSession, schedule: Schedule, due: datetime) -> _Result:
    if await repository.has_outcome(session, schedule.id, due):
        return _Result(Outcome.skipped, "This time has its outcome already.")
    last = await repository.latest_run(session, schedule.id)
    if last is not None and not RunState(last.state).final:
        return _Result(Outcome.skipped, f"Run {last.number}, the one before, was still {last.state}.")
    if (token := schedule.token) is not None and token.has_ended:
        reason = f"The API token {token.name}, which made this schedule, has ended. Resume it to go on without it."
        return _Result(Outcome.refused, reason, code="token-ended")
    owner = schedule.author
    if owner.disabled_at is not None or not Role(owner.role).includes(Role.experimenter):
        return _Result(Outcome.refused, _may_not(schedule), code="owner-may-not")
    if await experiments.is_hidden(session, Caller(owner), schedule.experiment_id):
        reason = f"{owner.email} is not in the team of this experiment any more."
        return _Result(Outcome.refused, reason, code="owner-may-not")
    try:
        async with session.begin_nested():
            return _Result(Outcome.started, run_id=await _start(session, schedule))
    except ApiError as error:
        fields = "; ".join(problem.message for problem in error.errors)
        return _Result(Outcome.refused, fields or error.detail, code=error.code)
    except Exception:
        log.exception("a scheduled run could not be started", schedule_id=str(schedule.id))
        return _Result(Outcome.refused, "An unexpected error happened on the server and was logged.")


async def _start(session: AsyncSession, schedule: Schedule) -> UUID:
    """As the owner could by hand at this moment. Raises what that raises."""
    request = read(RunCreate, schedule.request, "What this schedule starts")
    note = request.note or f"Scheduled {in_words(timing_of(schedule))}"
    caller = Caller(schedule.author)
    run = await runs.create(session, caller, schedule.experiment_id, request.model_copy(update={"note": note}))
    actor = system(f"schedule of {schedule.author.email}")
    await record(session, actor, Act.run_started, run_object(run), hosts=run.hosts, schedule=str(schedule.id))
    return run.id


def _at(instant: datetime) -> str:
    return f"{instant:%Y-%m-%d %H:%M} UTC"


async def _tell(session: AsyncSession, schedule: Schedule, due: datetime, reason: str) -> None:
    await post(
        session,
        NotificationKind.schedule_not_started,
        schedule.created_by,
        schedule.id,
        experiment=schedule.experiment.name,
        experiment_id=str(schedule.experiment_id),
        due_at=_at(due),
        reason=reason,
    )
