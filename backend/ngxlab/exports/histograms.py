"""Read the histograms of a run in the order of its trials, and write them as a log."""

import asyncio
from collections.abc import AsyncGenerator
from uuid import UUID

from ngxlab.core.database import Database, one_snapshot
from ngxlab.exports.histogram_log import Interval, head, log_lines, tag
from ngxlab.metrics import repository as metrics
from ngxlab.runs import repository as runs


async def log(database: Database, run_id: UUID) -> AsyncGenerator[bytes]:
    """A transaction for each trial, with a cursor on the server."""
    async with database.transaction() as session:
        trials = [trial for trial in await runs.trials(session, run_id) if trial.hosts]
        start_us = await metrics.first_interval_us(session, [trial.id for trial in trials]) or 0
    yield head(str(run_id), start_us).encode()
    for trial in trials:
        async with database.transaction() as session:
            await one_snapshot(session)
            async for rows in metrics.histogram_pages(session, trial.id):
                intervals = [
                    Interval(tag(trial.arm, trial.block, one.stream, one.quantity), one.t0_us, one.t1_us, one.histogram)
                    for one in rows
                    if one.histogram is not None
                ]
                yield (await asyncio.to_thread(log_lines, intervals, start_us)).encode()
