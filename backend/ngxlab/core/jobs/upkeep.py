"""Jobs that are over are forgotten after a while."""

from datetime import timedelta

from ngxlab.core.clock import utcnow
from ngxlab.core.jobs import repository
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Queue, job
from ngxlab.core.jobs.rounds import Round

_KEPT = timedelta(days=1)
_EVERY_S = 3600.0


@job("forget-jobs", Queue.slow, limit_s=300, is_round=True)
async def forget(task: Task) -> None:
    async with task.database.transaction() as session:
        await repository.forget_ended(session, utcnow() - _KEPT)


def round_of_jobs() -> Round:
    return Round(forget, period_s=_EVERY_S)
