"""All latency histograms of a run as an HdrHistogram log, which HdrHistogram's own tools read.

Format: https://github.com/HdrHistogram/HdrHistogram (``HistogramLogWriter``, version 1.3). Values are microseconds.
Times are seconds since the start of the log, the first interval of the run; those of several hosts by their own clocks.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import NamedTuple
from uuid import UUID

from ngxlab.analysis.statistics.hdr_payload import filled
from ngxlab.core.database import Database, one_snapshot
from ngxlab.metrics import repository as metrics
from ngxlab.runs import repository as runs

_COLUMNS = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'
_TAG_ENDS = str.maketrans({",": "_", " ": "_", "\t": "_", "\n": "_", "\r": "_"})


class Interval(NamedTuple):
    """``tag``: arm/BLOCK/STREAM/QUANTITY."""

    tag: str
    t0_us: int
    t1_us: int
    histogram: str


def head(run: str, start_us: int) -> str:
    seconds = start_us / 1e6
    lines = (
        f"#[ngxlab run {run}; values in microseconds; Interval_Max too]",
        "#[Histogram log format version 1.3]",
        f"#[BaseTime: {seconds:.3f} (seconds since epoch)]",
        f"#[StartTime: {seconds:.3f} (seconds since epoch)]",
        _COLUMNS,
    )
    return "\n".join(lines) + "\n"


def tag(arm: str, block: int, stream: str, quantity: str) -> str:
    return f"{arm}/{block}/{stream}/{quantity}".translate(_TAG_ENDS)


def log_lines(intervals: Iterable[Interval], start_us: int) -> str:
    """Those whose histogram cannot be read are left out."""
    lines = []
    for one in intervals:
        try:
            highest = _highest_us(one.histogram)
        except ValueError:
            continue
        begin, length = (one.t0_us - start_us) / 1e6, (one.t1_us - one.t0_us) / 1e6
        lines.append(f"Tag={one.tag},{begin:.3f},{length:.3f},{highest:.3f},{one.histogram}\n")
    return "".join(lines)


def _highest_us(payload: str) -> int:
    """The largest value in its bucket of the highest count; 0 for an empty histogram."""
    read = filled(payload)
    if not read.index.size:
        return 0
    half: int = 1 << ((2 * 10**read.significant_figures - 1).bit_length() - 1)
    index = int(read.index[-1])
    bucket = max(0, index // half - 1)
    return ((index - bucket * half) << bucket) + (1 << bucket) - 1


async def log(database: Database, run_id: UUID) -> AsyncGenerator[bytes]:
    """A transaction for each trial, with a cursor on the server."""
    async with database.transaction() as session:
        every = [trial for trial in await runs.trials(session, run_id) if trial.hosts]
        trials = [trial for trial in every if not trial.is_profile and trial.heat is None]
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
