"""Check a trial while it is measured: now and then, so that it costs little, and never in an agent's request.

The results are kept with the trial until those of the whole trial replace them.
"""

import asyncio
import math
import time
from typing import NamedTuple
from uuid import UUID

from ngxlab.analysis.checks.so_far import check_so_far
from ngxlab.analysis.schemas import CheckResult
from ngxlab.core.database import Database
from ngxlab.metrics.raw_data import RawData, raw_data
from ngxlab.metrics.service import ReportingHost
from ngxlab.runs import repository as runs
from ngxlab.runs.announce import announce
from ngxlab.runs.models import Trial
from ngxlab.runs.results.analysis_jobs import in_background
from ngxlab.runs.states import TrialState
from ngxlab.runs.telemetry import TrialFacts, reporting_hosts, trial_record

_EVERY_S = 5.0
_TOO_EARLY_S = 1.0
_COST = 0.05
"""Of one core, at most: a long trial is read less often, since each time all of it is read."""
_COST_UNWATCHED = 0.001
"""While nobody looks at the run; whoever does has the next batch checked."""
_USUAL_S = 0.03
"""What a check takes early in a trial: one at which nobody looks is first checked half a minute later, since a check
shares the machine with what is measured."""


class _Last(NamedTuple):
    """The last check of a trial in this process: until when it lasted and how long, and the pause after it."""

    at: float
    took_s: float
    pause_s: float


_last: dict[UUID, _Last] = {}
"""Of trials under way; in an infinite time while one is checked."""


def check_while_measured(database: Database, run_id: UUID, trial_id: UUID, state: str) -> None:
    """Call it after each batch of a trial; it checks, if it is time to."""
    if state != TrialState.measuring:
        _last.pop(trial_id, None)
    elif _is_due(trial_id, watched=database.bus.is_watched(run_id)):
        _last[trial_id] = _Last(math.inf, 0, 0)
        in_background(_check(database, trial_id))


def _is_due(trial_id: UUID, *, watched: bool) -> bool:
    last = _last.get(trial_id)
    if last is None:
        _last[trial_id] = _Last(time.monotonic(), _USUAL_S, 0)
        return watched
    cost = _COST if watched else _COST_UNWATCHED
    return time.monotonic() - last.at >= max(last.pause_s, last.took_s / cost)


async def _check(database: Database, trial_id: UUID) -> None:
    began_s, pause_s = time.monotonic(), _EVERY_S
    try:
        pause_s = _EVERY_S if await _check_now(database, trial_id) else _TOO_EARLY_S
    finally:
        if trial_id in _last:
            now = time.monotonic()
            _last[trial_id] = _Last(now, now - began_s, pause_s)


async def _check_now(database: Database, trial_id: UUID) -> bool:
    """Whether enough of the window has been measured to tell."""
    async with database.transaction() as session:
        trial = await runs.trial(session, trial_id)
        run = await runs.run(session, trial.run_id) if trial else None
        if trial is None or run is None or trial.state != TrialState.measuring:
            return False
        hosts, data = reporting_hosts(run, trial), await raw_data(session, [trial.id])
    results = await asyncio.to_thread(_judge, trial, hosts, data)
    if results is None:
        return False
    kept = [result.model_dump(mode="json") for result in results]
    async with database.transaction() as session:
        await runs.lock_run(session, run.id)
        trial = await runs.trial(session, trial_id)
        if trial is not None and not TrialState(trial.state).final and (trial.checks or []) != kept:
            trial.checks = kept
            await session.flush()
            await announce(session, run.id)
    return True


def _judge(trial: Trial, hosts: list[ReportingHost], data: RawData) -> list[CheckResult] | None:
    return check_so_far(trial_record(TrialFacts.of(trial), hosts, data))
