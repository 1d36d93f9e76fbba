"""Trials whose host vanished. They say nothing about their arm, so they are marked lost and repeated.

Nothing is hurried: while a host is silent, no other trial can begin on it, and patience costs no time. A restarted
agent that holds nothing is known at once (:func:`after_restart`). A trial whose host comes back with its
data after all goes on where its host is (:func:`may_return`), unless it has been repeated meanwhile or its run is over:
then its data must be discarded, and the trial says so.

PostgreSQL has the facts and messages are only hints, so whatever a lost message should have caused is caught up here.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import structlog
from ngxlab_contracts.broker import COORDINATOR_QUEUE
from ngxlab_contracts.hosts import Heartbeat
from ngxlab_contracts.sentences import fixed, listed, say
from ngxlab_contracts.trials import TimingSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import from_us, utcnow
from ngxlab.core.database import Database
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import NOW, Attendance, Queue, Round, job
from ngxlab.core.stored_json import Unreadable
from ngxlab.hosts.models import Host
from ngxlab.hosts.repository import host_by_id
from ngxlab.runs import repository
from ngxlab.runs.models import Run, Trial, TrialHost, spec_of
from ngxlab.runs.queue import waiting
from ngxlab.runs.repository import announce
from ngxlab.runs.states import RunState, TrialState
from ngxlab.runs.transitions import lose, state_of_slowest

_CLAIM_PATIENCE = timedelta(seconds=150)
"""Redis, which carries the message, may be away for two minutes, or the host's link to it cut."""
_SILENCE_PATIENCE = timedelta(seconds=150)
"""A link may be cut, or an agent stopped, for two minutes."""
_OVERDUE_PATIENCE = timedelta(seconds=180)
"""Longer than for silence, so that a host that is silent is named as the reason."""
_LONGEST_BACKLOG = timedelta(hours=1)
"""For a host that still sends: what it kept through an outage of an hour is here long before. Nobody sends for ever."""

HeardSince = Callable[[], datetime]
"""Since when the backend has been able to hear hosts: see :class:`ngxlab.core.jobs.kinds.Attendance`."""


class Reach(NamedTuple):
    """Since when the backend has been able to hear hosts, and since when to send them anything through Redis."""

    heard_since: HeardSince
    broker_since: HeardSince


async def after_restart(session: AsyncSession, host: Host, beat: Heartbeat) -> None:
    """A new instance of an agent has none of the trials that the old one ran, except data spooled on its disk."""
    for trial_host, run_id in await repository.unfinished_trials_of_host(session, host.id):
        if (
            trial_host.claimed_by is None
            or trial_host.claimed_by == beat.agent_instance
            or trial_host.trial_id in beat.spooled_trials
        ):
            continue
        await repository.lock_run(session, run_id)
        trial = await repository.trial(session, trial_host.trial_id)
        if trial is not None and not TrialState(trial.state).final:
            reason = say("The agent on {host} was restarted in the middle of this trial.", host=host.name)
            await lose(session, trial, code="agent-restarted", reason=reason)


async def sweep(session: AsyncSession, trial: Trial, reach: Reach) -> None:
    """End a trial whose host is silent for too long. Silence counts from ``reach`` at the earliest."""
    if await _verdict(session, trial, reach) is None:
        return
    await repository.lock_run(session, trial.run_id)
    fresh = await repository.trial(session, trial.id)
    if fresh is None or TrialState(fresh.state).final:
        return
    # The lock may have been long in coming, and whoever held it may have received something from the host.
    verdict = await _verdict(session, fresh, reach)
    if verdict is not None:
        code, reason = verdict
        await lose(session, fresh, code=code, reason=reason)


async def _verdict(session: AsyncSession, trial: Trial, reach: Reach) -> tuple[str, str] | None:
    """Code and reason if the trial must be given up."""
    silent = [
        await _last_word(session, trial_host)
        for trial_host in trial.hosts
        if trial_host.claimed_by and trial_host.outcome is None
    ]
    # Only after the last answer of the database: it may have hung, and everybody's word with it. Since when
    # hosts could be heard is asked last, so that a clock that is set meanwhile is noticed.
    now = utcnow()
    since = reach.heard_since()
    try:
        for trial_host in trial.hosts:
            spec_of(trial, trial_host)
    except Unreadable as error:  # its hosts cannot be told what to do; the next attempt is written anew
        return error.code, error.detail
    return (
        _unclaimed(trial, max(since, reach.broker_since()), now)
        or _not_begun(trial, since, now)
        or _agent_lost(silent, since, now)
        or _overdue(trial, since, now)
    )


class _LastWord(NamedTuple):
    host: str
    heard: datetime | None


async def _last_word(session: AsyncSession, trial_host: TrialHost) -> _LastWord:
    host = await host_by_id(session, trial_host.host_id)
    if host is None:
        return _LastWord("The host", trial_host.last_batch_at)
    await session.refresh(host, ["heartbeat_at"])
    return _LastWord(host.name, max(filter(None, (trial_host.last_batch_at, host.heartbeat_at)), default=None))


def _timing(trial: Trial) -> TimingSpec:
    return spec_of(trial, trial.hosts[0]).timing


def _unclaimed(trial: Trial, since: datetime, now: datetime) -> tuple[str, str] | None:
    if trial.state == TrialState.dispatched and now - max(trial.dispatched_at or now, since) > _CLAIM_PATIENCE:
        reason = say(
            "No agent took the trial within {seconds} s: it hangs, or cannot reach Redis.",
            seconds=_CLAIM_PATIENCE.seconds,
        )
        return "host-unresponsive", reason
    return None


def _not_begun(trial: Trial, since: datetime, now: datetime) -> tuple[str, str] | None:
    if trial.state in {TrialState.preparing, TrialState.ready} and trial.start_at_us is None:
        patience = timedelta(seconds=_timing(trial).start_timeout_s)
        if now - max(trial.phase_at or now, since) > patience:
            return "never-ready", say(
                "The trial was {state} for more than {seconds:.0f} s.",
                state=fixed(trial.state),
                seconds=patience.total_seconds(),
            )
    return None


def _overdue(trial: Trial, since: datetime, now: datetime) -> tuple[str, str] | None:
    """Counts from the last batch too: what a host has kept through an outage takes its time to arrive."""
    if trial.start_at_us is None:
        return None
    due = from_us(trial.start_at_us) + timedelta(seconds=_timing(trial).phases_s)
    batches = [
        trial_host.last_batch_at
        for trial_host in trial.hosts
        if trial_host.last_batch_at and trial_host.outcome is None
    ]
    if now - max(due, since) > _LONGEST_BACKLOG:
        return "overdue", say("The trial did not end within its phases, nor within an hour after them.")
    if now - max(due, since, *batches) > _OVERDUE_PATIENCE:
        return "overdue", say("The trial did not end within its phases, and nothing of it arrived for three minutes.")
    return None


def _agent_lost(silent: list[_LastWord], since: datetime, now: datetime) -> tuple[str, str] | None:
    for host, heard in silent:
        silence = now - max(heard or since, since)
        if silence > _SILENCE_PATIENCE:
            return "agent-lost", say(
                "{host} has been silent for {seconds:.0f} s.", host=host, seconds=silence.total_seconds()
            )
    return None


log = structlog.get_logger()

_TRIALS_EVERY_S = 5.0
"""Trials are given up after a minute or more, and looking after one costs more than all queued runs."""
_LIVELY_TRIALS_EVERY_S = 60.0
"""Where all hosts of all trials send their batches: nobody sends for ever, but for longer than this."""


async def hint_at_runs(database: Database) -> None:
    """Hint at each run that could go on and that nobody drives."""
    async with database.transaction() as session:
        await waiting.hint(session, taken=await database.bus.is_taken(COORDINATOR_QUEUE))


@job("lost-trials", Queue.now, limit_s=60, is_round=True)
async def lost_trials_watch(task: Task, heard: str, broker: str) -> None:
    await look_after_trials(task.database, Reach(Attendance.read(heard).since, Attendance.read(broker).since))


async def look_after_trials(database: Database, reach: Reach) -> None:
    """Give up trials whose hosts have been silent for too long. An error in the matter of one is logged, and the others
    are looked after."""
    async with database.transaction() as session:
        trials = await repository.ids_of_unfinished_trials(session)
    for trial_id in trials:
        try:
            await _sweep(database, trial_id, reach)
        except Exception:
            log.exception("trial could not be looked after", trial_id=str(trial_id))


async def _sweep(database: Database, trial_id: UUID, reach: Reach) -> None:
    async with database.transaction() as session:
        if (trial := await repository.trial(session, trial_id)) is not None:
            await sweep(session, trial, reach)


def rounds() -> list[Round]:
    """Those of runs and trials."""
    runs, under_way, quiet = repository.to_do(NOW - repository.QUIET)
    return [
        Round(little=hint_at_runs, question=runs, busy=True),
        Round(lost_trials_watch, question=quiet, least_s=_TRIALS_EVERY_S, with_attendance=True),
        Round(lost_trials_watch, question=under_way, least_s=_LIVELY_TRIALS_EVERY_S, with_attendance=True),
    ]


_GIVEN_UP_FOR_SILENCE = {"agent-lost", "overdue"}
_DISCARDED = say("Its host came back with data of this trial later; they were discarded, as the trial was over.")


async def may_return(session: AsyncSession, run: Run, trial: Trial, trial_host: TrialHost) -> bool:
    """Whether what this host still holds of a lost trial is wanted."""
    if trial.state != TrialState.lost or trial.code not in _GIVEN_UP_FOR_SILENCE or trial_host.claimed_by is None:
        return False
    if RunState(run.state).final or run.cancel_requested_at is not None or trial_host.outcome is not None:
        return False
    # The other hosts were told to discard what they had, unless they had already finished.
    others = [other for other in trial.hosts if other.host_id != trial_host.host_id]
    if any(other.outcome != "completed" for other in others):
        return False
    later = await repository.later_attempts(session, trial)
    return all(attempt.state == TrialState.pending for attempt in later)


async def reinstate(session: AsyncSession, run: Run, trial: Trial, trial_host: TrialHost) -> bool:
    """Take a lost trial back if it :func:`may_return`. Whoever calls it has locked the run."""
    if not await may_return(session, run, trial, trial_host):
        return False
    for attempt in await repository.later_attempts(session, trial):
        await session.delete(attempt)
    trial.state = state_of_slowest(trial) or TrialState.preparing
    trial.code = trial.reason = trial.finished_at = None
    trial.phase_at = trial_host.last_batch_at = utcnow()
    await session.flush()
    await announce(session, run.id)
    return True


async def after_silence(session: AsyncSession, host: Host, held: list[UUID]) -> None:
    """A host says that it holds data of these trials: it comes before the host can be given another trial."""
    if not held:
        return
    for trial_id, run_id in await repository.lost_trials_of_host(session, host.id, held):
        run = await repository.lock_run(session, run_id)
        fresh = await repository.trial(session, trial_id)
        if run is not None and fresh is not None:
            own = next(trial_host for trial_host in fresh.hosts if trial_host.host_id == host.id)
            await reinstate(session, run, fresh, own)


async def note_discarded(session: AsyncSession, trial: Trial) -> None:
    """Data of this trial were refused for good: say so where people look for what happened to it."""
    if trial.reason is None or not trial.reason.endswith(_DISCARDED):
        trial.reason = listed([trial.reason or say("The trial was lost."), _DISCARDED], " ")
        await session.flush()
        await announce(session, trial.run_id)
