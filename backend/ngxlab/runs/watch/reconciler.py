"""The watch over runs and trials: hints again at runs that nobody drives, and gives up trials of vanished hosts.

PostgreSQL has the facts and messages are only hints, so whatever a lost message should have caused is caught up here.
"""

from uuid import UUID

import structlog
from ngxlab_contracts.queues import COORDINATOR_QUEUE

from ngxlab.core.database import Database
from ngxlab.core.jobs.attendance import Attendance
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Queue, job
from ngxlab.core.jobs.rounds import NOW, Round
from ngxlab.runs import repository
from ngxlab.runs.queue import waiting
from ngxlab.runs.watch import lost_trials
from ngxlab.runs.watch.lost_trials import Reach

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
            await lost_trials.sweep(session, trial, reach)


def rounds() -> list[Round]:
    """Those of runs and trials."""
    runs, under_way, quiet = repository.to_do(NOW - repository.QUIET)
    return [
        Round(little=hint_at_runs, question=runs, busy=True),
        Round(lost_trials_watch, question=quiet, least_s=_TRIALS_EVERY_S, with_attendance=True),
        Round(lost_trials_watch, question=under_way, least_s=_LIVELY_TRIALS_EVERY_S, with_attendance=True),
    ]
