"""How long the data of a long trial's chart take to arrive."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any, NamedTuple
from uuid import UUID

import httpx2
import numpy as np
from numpy.typing import NDArray

from scripts.bench.lab import Connection, Lab
from scripts.bench.packed import packed
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.bench.viewer import follow
from scripts.bench.weights import Opened, open_report
from scripts.testbed.browser import chromium

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


CHARTS = ("requests_per_s_nginx", "cpu_share", "worker_cpu_share", "network_bits_per_s", "latency_ms")
PART = (0.3, 0.5)
"""Of the trial's length: what somebody has zoomed into."""
DEFINITION = (
    "GET /trials/ID/series?points=1000&keys=CHART over HTTP, from the request to the last byte, as a page's chart "
    f"requests it: the median for each of {', '.join(CHARTS)}, and of these the worst. A real 10 Hz trial whose "
    "readings (of all collectors) and histograms were continued to the number of samples stated, and which was then "
    "packed, as every run is some minutes after its end."
)
PART_DEFINITION = (
    "The same charts of a fifth of the trial (from, to): as many points of the part, from packed readings."
)
WHOLE_DEFINITION = "The same trial, requested without keys: all series in one answer. Median."
OPEN_DEFINITION = (
    "Chromium with an empty cache, from asking for the page of the same run's report until its verdict is seen. "
    "Browser and product share the cores."
)
SAMPLES = 10_000_000
QUICK_SAMPLES = 500_000
INTERVAL_MS = 100
REPETITIONS = 5
PATIENCE_S = 60
"""After this time no further repetition starts."""
MAX_ANSWER_S = 600


class Answers(NamedTuple):
    """The seconds of each answer, and the size of the last one in bytes."""

    seconds: list[float]
    size: int

    @property
    def median_ms(self) -> float:
        return 1000 * median(self.seconds)


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """Medians of one chart, of one chart of a part, and of all charts, in milliseconds."""
    experiment = await lab.one_arm_experiment(warmup_s=0, measure_s=3, interval_ms=INTERVAL_MS)
    run = await follow(lab, await lab.start_run(experiment))
    trial_id = run["trials"][0]["id"]
    ordinary = await _ask(lab, trial_id)
    async with lab.database() as connection:
        samples = await lengthen(connection, trial_id, QUICK_SAMPLES if quick else SAMPLES, INTERVAL_MS * 1000)
        begin_us, end_us = await _ends_us(connection, trial_id)
        rows_s = await _read_rows_s(connection, trial_id)
        packed_s = await packed(connection, run["id"])
    charts = {chart: await _ask(lab, trial_id, keys=[chart]) for chart in CHARTS}
    part = [share * (end_us - begin_us) / 1e6 for share in PART]
    parts = {chart: await _ask(lab, trial_id, keys=[chart], **{"from": part[0], "to": part[1]}) for chart in CHARTS}
    whole = await _ask(lab, trial_id)
    opened = await asyncio.to_thread(_open, lab, run["id"])
    one, all_at_once = Budget("at most", 50), Budget("at most", 500)
    what = f"series query: {samples:,} stored samples to 1,000 points a line"
    return [
        Measurement("series-query", f"{what} of one chart", _worst_ms(charts), "ms", one, DEFINITION,
                    {"samples": samples, "packed_s": packed_s, **_seconds(charts)}),
        Measurement("series-query-part", f"{what} of one chart, a fifth of the trial", _worst_ms(parts), "ms", one,
                    PART_DEFINITION, _seconds(parts)),
        Measurement("series-query-all", f"{what} of all charts at once", whole.median_ms, "ms", all_at_once,
                    WHOLE_DEFINITION, {
                        "answers_s": whole.seconds,
                        "answer_bytes": whole.size,
                        "same_trial_before_it_was_lengthened_s": ordinary.median_ms / 1000,
                        "plain_select_of_the_same_rows_s": rows_s,
                    }),
        Measurement("report-opens", f"the report of a run of {samples:,} samples opens", opened.seconds, "s",
                    Budget("at most", 1.0), OPEN_DEFINITION, opened._asdict()),
    ]  # fmt: skip


def _open(lab: Lab, run_id: str) -> Opened:
    with chromium() as browser:
        return open_report(browser, lab, run_id)


def _worst_ms(charts: Mapping[str, Answers]) -> float:
    return max(answers.median_ms for answers in charts.values())


def _seconds(charts: Mapping[str, Answers]) -> dict[str, list[float]]:
    return {f"{chart}_s": answers.seconds for chart, answers in charts.items()}


async def _ask(lab: Lab, trial_id: str, **asked: Any) -> Answers:
    seconds: list[float] = []
    size = 0
    headers = {"Authorization": f"Bearer {lab.token}"}
    began = time.perf_counter()
    async with httpx2.AsyncClient(base_url=lab.api_url, headers=headers, timeout=MAX_ANSWER_S) as client:
        while len(seconds) < REPETITIONS and time.perf_counter() - began < PATIENCE_S:
            before = time.perf_counter()
            answer = await client.get(f"/trials/{trial_id}/series", params={"points": 1000, **asked})
            answer.raise_for_status()
            seconds.append(time.perf_counter() - before)
            size = len(answer.content)
    return Answers(seconds, size)


async def _ends_us(connection: Connection, trial_id: str) -> tuple[int, int]:
    found = await connection.fetchrow("SELECT min(t_us), max(t_us) FROM frame WHERE trial_id = $1", trial_id)
    return found[0], found[1]


async def _read_rows_s(connection: Connection, trial_id: str) -> float:
    began = time.perf_counter()
    await connection.fetch("SELECT layout, t_us, took_us, values FROM frame WHERE trial_id = $1", trial_id)
    return time.perf_counter() - began
