"""How long answers take with much stored: lists with a long history, charts of a long trial, a large run's analysis."""

import time
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray

from scripts.bench.copies import Connection, copy_rows, copy_runs
from scripts.bench.lab import Lab, packed
from scripts.bench.pages import open_report
from scripts.bench.pretend import enrol
from scripts.bench.report import Found, NotMeasuredError

MAX_ANSWER_S = 600
LIST_REPETITIONS = 7
CHART_REPETITIONS = 5
CHART_PATIENCE_S = 60
"""After this time no further repetition starts."""
CHARTS = ("requests_per_s_nginx", "cpu_share", "worker_cpu_share", "network_bits_per_s", "latency_ms")
PART = (0.3, 0.5)
"""From where to where in the trial: what somebody has zoomed into."""
INTERVAL_MS = 100
CHUNK_INSTANTS = 2000
BLOCKS = 20
WINDOWS = 5

_COLUMNS = ("trial_id", "host_id", "layout", "t_us", "took_us", "live_seq", "values")
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
_TRIALS = "SELECT id, position FROM trial WHERE run_id = $1 AND state = 'completed' ORDER BY position"
_TRIAL = """
    SELECT trial AS original, jsonb_build_object(
        'id', $2::text, 'block', $3::int, 'position', $4::int, 'summary', NULL, 'checks', NULL) AS changes
    FROM trial WHERE id = $1
"""
_ROWS = """
    SELECT {table} AS original, jsonb_build_object('{column}', $2::uuid) AS changes
    FROM {table} WHERE {column} = $1 AND trial_id = ANY($3)
"""
_DATA = ("trial_host", "layout", "artefact", "frame", "latency_interval", "trial_event")
_SECOND_HOST = (
    "UPDATE run_host SET host_id = $2 WHERE run_id = $1 AND slot = 'generator'",
    "UPDATE latency_interval SET host_id = $2 WHERE trial_id IN (SELECT id FROM trial WHERE run_id = $1)",
)
_ROLES = (
    "UPDATE trial_host SET spec = jsonb_set(spec, '{streams}', '[]') WHERE trial_id = ANY($1) AND host_id <> $2",
    "UPDATE trial_host SET spec = jsonb_set(spec, '{nginx}', 'null') WHERE trial_id = ANY($1) AND host_id = $2",
    "DELETE FROM artefact WHERE trial_id = ANY($1) AND host_id = $2",
)

Row = tuple[str, UUID, int, int, int, int, list[float]]


async def lists(lab: Lab, runs: int) -> dict[str, Found]:
    """The slowest of the lists, in milliseconds, with a long history behind them."""
    run = await lab.run(await lab.experiment(blocks=1, warmup_s=1, measure_s=5))
    async with lab.database() as connection:
        runs, trials = await copy_runs(connection, run["id"], runs)
        experiment = await connection.fetchval("SELECT id FROM experiment WHERE name = 'History 7'")
        month_ago = await connection.fetchval("SELECT (now() - interval '31 days')::date::text")
    lists = {
        "runs": "/runs",
        "runs, the last page": f"/runs?start={runs - 50}",
        "runs, words": "/runs?search=night%207",
        "runs, words that none has": "/runs?search=absent",
        "runs, of a month": f"/runs?since={month_ago}&search=history",
        "runs, of a tag and a verdict": f"/runs?tag=nightly&verdict={run['verdict'] or 'inconclusive'}",
        "runs, of a host": "/runs?host=vm",
        "runs, of a state": "/runs?state=completed",
        "runs by name": "/runs?order=name&ascending=true",
        "runs by duration": "/runs?order=duration",
        "runs of an experiment": f"/runs?experiment_id={experiment}",
        "choices of filters": "/runs/choices",
        "experiments": "/experiments",
        "experiments, words": "/experiments?search=history%207",
        "trends of an experiment": f"/experiments/{experiment}/trends",
        "hosts": "/hosts",
    }
    answers = {name: await _ask(lab, path, LIST_REPETITIONS) for name, path in lists.items()}
    medians = {name: answer.median_ms for name, answer in answers.items()}
    slowest = max(medians, key=lambda name: medians[name])
    return {
        "lists": Found(medians[slowest], {**medians, "runs_in_all": runs, "trials_in_all": trials, "slowest": slowest})
    }


class Answers(NamedTuple):
    """The seconds of each answer, from the request to the last byte, and the size of the last one in bytes."""

    seconds: list[float]
    size: int

    @property
    def median_ms(self) -> float:
        return 1000 * median(self.seconds)


async def _ask(lab: Lab, path: str, repetitions: int, **asked: Any) -> Answers:
    seconds: list[float] = []
    size = 0
    began = time.perf_counter()
    async with lab.client(MAX_ANSWER_S) as client:
        while len(seconds) < repetitions and time.perf_counter() - began < CHART_PATIENCE_S:
            before = time.perf_counter()
            answer = await client.get(path, params=asked or None)  # an empty mapping takes away those of the path
            seconds.append(time.perf_counter() - before)
            if not answer.is_success:
                raise NotMeasuredError(f"GET {path}: {answer.status_code} {answer.text[:300]}")
            size = len(answer.content)
    return Answers(seconds, size)


async def series(lab: Lab, samples: int) -> dict[str, Found]:
    """Medians of one chart, of one chart of a part, and of all charts, in milliseconds; the report in seconds."""
    run = await lab.run(await lab.one_arm_experiment(warmup_s=0, measure_s=3, interval_ms=INTERVAL_MS))
    trial_id = run["trials"][0]["id"]
    ordinary = await _chart(lab, trial_id)
    async with lab.database() as connection:
        samples = await _lengthen(connection, trial_id, samples, INTERVAL_MS * 1000)
        ends = await connection.fetchrow("SELECT min(t_us), max(t_us) FROM frame WHERE trial_id = $1", trial_id)
        rows_s = await _read_rows_s(connection, trial_id)
        packed_s = await packed(connection, run["id"])
    charts = {chart: await _chart(lab, trial_id, keys=[chart]) for chart in CHARTS}
    begin_s, end_s = (share * (ends[1] - ends[0]) / 1e6 for share in PART)
    parts = {chart: await _chart(lab, trial_id, keys=[chart], **{"from": begin_s, "to": end_s}) for chart in CHARTS}
    whole = await _chart(lab, trial_id)
    opened = await open_report(lab, run["id"])
    stored = {"samples": samples}
    return {
        "series-query": Found(_worst_ms(charts), stored | {"packed_s": packed_s, **_seconds(charts)}),
        "series-query-part": Found(_worst_ms(parts), stored | _seconds(parts)),
        "series-query-all": Found(
            whole.median_ms,
            stored
            | {
                "answers_s": whole.seconds,
                "answer_bytes": whole.size,
                "same_trial_before_it_was_lengthened_s": ordinary.median_ms / 1000,
                "plain_select_of_the_same_rows_s": rows_s,
            },
        ),
        "report-opens": Found(opened.seconds, stored | opened._asdict()),
    }


async def _chart(lab: Lab, trial_id: str, **asked: Any) -> Answers:
    return await _ask(lab, f"/trials/{trial_id}/series", CHART_REPETITIONS, points=1000, **asked)


def _worst_ms(charts: Mapping[str, Answers]) -> float:
    return max(answers.median_ms for answers in charts.values())


def _seconds(charts: Mapping[str, Answers]) -> dict[str, list[float]]:
    return {f"{chart}_s": answers.seconds for chart, answers in charts.items()}


async def _read_rows_s(connection: Connection, trial_id: str) -> float:
    began = time.perf_counter()
    await connection.fetch("SELECT layout, t_us, took_us, values FROM frame WHERE trial_id = $1", trial_id)
    return time.perf_counter() - began


class Pace(NamedTuple):
    """The last reading of a layout, and the average step from one reading to the next."""

    layout: int
    host_id: UUID
    took_us: int
    live_seq: int
    last_us: int
    last: NDArray[np.float64]
    step: NDArray[np.float64]


async def _lengthen(connection: Connection, trial_id: str, samples: int, interval_us: int) -> int:
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
        await connection.copy_records_to_table("frame", columns=_COLUMNS, records=rows)
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


async def rewindow(lab: Lab, warmup_s: int, measure_s: int) -> dict[str, Found]:
    """How long a large run takes to be analysed, and to be computed anew for another measured window."""
    run = await lab.run(await lab.experiment(blocks=1, warmup_s=warmup_s, measure_s=measure_s))
    second_host, _ = enrol(lab)
    async with lab.database() as connection:
        trials = await _enlarge(connection, run["id"], second_host)
        samples = await connection.fetchval(
            "SELECT sum(cardinality(values)) FROM frame WHERE trial_id IN (SELECT id FROM trial WHERE run_id = $1)",
            run["id"],
        )
    moved, analysed = await _times(lab, run["id"], measure_s)
    return {
        "analyse": Found(median(analysed), {"trials": trials, "answers_s": analysed}),
        "rewindow": Found(median(moved), {"trials": trials, "samples": int(samples), "answers_s": moved}),
    }


async def _enlarge(connection: Connection, run_id: str, second_host: UUID) -> int:
    """Until the run has :data:`BLOCKS`, on two hosts that each have all frames. Returns the number of trials."""
    real = [(row["id"], row["position"]) for row in await connection.fetch(_TRIALS, run_id)]
    if not real:
        raise NotMeasuredError("the run to enlarge has no completed trial")
    every = [trial for trial, _ in real]
    async with connection.transaction():
        for block in range(2, BLOCKS + 1):
            for trial, position in real:
                copy, at = uuid4(), position + (block - 1) * len(real)
                await copy_rows(connection, "trial", _TRIAL, trial, str(copy), block, at)
                for table in _DATA:
                    await _copy(connection, table, "trial_id", (trial, copy), [trial])
                every.append(copy)
        [host] = await connection.fetchrow("SELECT host_id FROM trial_host WHERE trial_id = $1", every[0])
        for table in _DATA:
            if table != "latency_interval":
                await _copy(connection, table, "host_id", (host, second_host), every)
        for statement in _SECOND_HOST:
            await connection.execute(statement, run_id, second_host)
        for statement in _ROLES:
            await connection.execute(statement, every, second_host)
        await connection.execute("UPDATE run SET blocks = $2 WHERE id = $1", run_id, BLOCKS)
        await connection.execute("UPDATE trial SET summary = NULL, checks = NULL WHERE run_id = $1", run_id)
    await connection.execute("ANALYZE")
    return len(every)


async def _copy(connection: Connection, table: str, column: str, ids: tuple[UUID, UUID], trials: list[UUID]) -> None:
    """The rows of these trials in which ``column`` is the first id, once more with the second."""
    await copy_rows(connection, table, _ROWS.format(table=table, column=column), *ids, trials)


async def _times(lab: Lab, run_id: str, measure_s: float) -> tuple[list[float], list[float]]:
    moved, analysed = [], []
    async with lab.client(120) as client:
        (await client.get(f"/runs/{run_id}/report")).raise_for_status()  # the copies get their summaries
        for number in range(WINDOWS):
            window = {"start_s": (number + 1) / 4, "end_s": measure_s}
            began = time.perf_counter()
            (await client.put(f"/runs/{run_id}/window", json=window)).raise_for_status()
            moved.append(time.perf_counter() - began)
            began = time.perf_counter()
            report = (await client.get(f"/runs/{run_id}/report")).raise_for_status().json()
            analysed.append(time.perf_counter() - began)
            if report["windows"]["run"] != window or report["unreadable"]:
                raise ValueError(f"the report does not follow the window: {report['windows']}, {report['unreadable']}")
    return moved, analysed
