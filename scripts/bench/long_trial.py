"""Lengthen a stored trial: its counters continue at their average pace."""

from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from scripts.bench.lab import Connection
from scripts.bench.results import NotMeasuredError

COLUMNS = ("trial_id", "host_id", "layout", "t_us", "took_us", "live_seq", "values")
CHUNK_INSTANTS = 2000

_ENDS = """
    SELECT DISTINCT ON (layout) layout, host_id, took_us, live_seq,
        first_value(t_us) OVER every AS first_us, last_value(t_us) OVER every AS last_us,
        first_value(values) OVER every AS first_values, last_value(values) OVER every AS last_values,
        count(*) OVER every AS readings
    FROM frame WHERE trial_id = $1
    WINDOW every AS (PARTITION BY layout ORDER BY t_us ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
"""
_MORE_INTERVALS = """
    INSERT INTO latency_interval (trial_id, host_id, stream, t0_us, t1_us, count, histogram, live_seq)
    SELECT trial_id, host_id, stream, t1_us + (n - 1) * 1000000, t1_us + n * 1000000, count, histogram, live_seq
    FROM generate_series(1, $2::bigint) AS n, (
        SELECT * FROM latency_interval WHERE trial_id = $1 AND histogram IS NOT NULL ORDER BY t1_us DESC LIMIT 1
    ) AS last
"""

Row = tuple[str, UUID, int, int, int, int, list[float]]


class Pace(NamedTuple):
    """The last reading of a layout, and the average step from one reading to the next."""

    layout: int
    host_id: UUID
    took_us: int
    live_seq: int
    last_us: int
    last: NDArray[np.float64]
    step: NDArray[np.float64]


async def lengthen(connection: Connection, trial_id: str, samples: int, interval_us: int) -> int:
    """Add readings by COPY until the trial has about ``samples`` more samples, and its histograms with them.

    Returns the number of samples added.
    """
    paces = [_pace(row) for row in await connection.fetch(_ENDS, trial_id) if row["readings"] > 2]
    if not paces:
        raise NotMeasuredError("the trial to lengthen has no readings")
    instants = -(-samples // sum(pace.last.size for pace in paces))
    for begin in range(0, instants, CHUNK_INSTANTS):
        steps = np.arange(begin + 1, min(begin + CHUNK_INSTANTS, instants) + 1)
        rows = _rows(trial_id, paces, steps, interval_us)
        await connection.copy_records_to_table("frame", columns=COLUMNS, records=rows)
    await connection.execute(_MORE_INTERVALS, trial_id, instants * interval_us // 1_000_000)
    await connection.execute("ANALYZE frame")
    return int(instants * sum(pace.last.size for pace in paces))


def _pace(row: Any) -> Pace:
    # An unreadable value (NULL) continues as zero.
    first, last = (np.nan_to_num(np.array(row[name], np.float64)) for name in ("first_values", "last_values"))
    return Pace(
        row["layout"],
        row["host_id"],
        row["took_us"],
        row["live_seq"],
        row["last_us"],
        last,
        (last - first) / (row["readings"] - 1),
    )


def _rows(trial_id: str, paces: list[Pace], steps: NDArray[np.int64], interval_us: int) -> Iterator[Row]:
    """In the order in which an agent would have sent them."""
    values = [(pace.last + steps[:, None] * pace.step).tolist() for pace in paces]
    for position, step in enumerate(steps.tolist()):
        for pace, table in zip(paces, values, strict=True):
            t_us = pace.last_us + step * interval_us
            yield trial_id, pace.host_id, pace.layout, t_us, pace.took_us, pace.live_seq, table[position]
