"""How long the data of a long trial's chart take to arrive."""

import time
from statistics import median
from typing import NamedTuple

import httpx

from scripts.bench.lab import Connection, Lab
from scripts.bench.long_trial import lengthen
from scripts.bench.results import Budget, Measurement
from scripts.bench.viewer import follow

CHARTS = ("requests_per_s_nginx", "cpu_share", "worker_cpu_share", "network_bits_per_s")
DEFINITION = (
    "GET /trials/ID/series?points=1000&keys=CHART over HTTP, from the request to the last byte, as a page's chart "
    f"requests it: the median for each of {', '.join(CHARTS)}, and of these the worst. A real 10 Hz trial whose "
    "readings (of all collectors) were continued by COPY to the number of samples stated."
)
WHOLE_DEFINITION = "The same trial, requested without keys: all series in one answer. Median."
FAIR_SHARE = 10
"""The answer with all charts may take as long as this many charts requested one after another."""
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
    """Medians of one chart and of all, in milliseconds."""
    experiment = await lab.one_arm_experiment(warmup_s=0, measure_s=3, interval_ms=INTERVAL_MS)
    run = await follow(lab, await lab.start_run(experiment))
    trial_id = run["trials"][0]["id"]
    ordinary = await _ask(lab, trial_id)
    async with lab.database() as connection:
        samples = await lengthen(connection, trial_id, QUICK_SAMPLES if quick else SAMPLES, INTERVAL_MS * 1000)
        rows_s = await _read_rows_s(connection, trial_id)
    charts = {chart: await _ask(lab, trial_id, chart) for chart in CHARTS}
    whole = await _ask(lab, trial_id)
    return [
        Measurement(
            name="series-query",
            what=f"series query: {samples:,} stored samples to 1,000 points a line of one chart",
            value=max(answers.median_ms for answers in charts.values()),
            unit="ms",
            budget=Budget("at most", 100),
            definition=DEFINITION,
            detail={"samples": samples, **{f"{chart}_s": answers.seconds for chart, answers in charts.items()}},
        ),
        Measurement(
            name="series-query-all",
            what=f"series query: {samples:,} stored samples to 1,000 points a line of all charts at once",
            value=whole.median_ms,
            unit="ms",
            budget=Budget("at most", 100 * FAIR_SHARE),
            definition=WHOLE_DEFINITION,
            detail={
                "answers_s": whole.seconds,
                "answer_bytes": whole.size,
                "same_trial_before_it_was_lengthened_s": ordinary.median_ms / 1000,
                "plain_select_of_the_same_rows_s": rows_s,
            },
        ),
    ]


async def _ask(lab: Lab, trial_id: str, *charts: str) -> Answers:
    seconds: list[float] = []
    size = 0
    headers = {"Authorization": f"Bearer {lab.token}"}
    began = time.perf_counter()
    async with httpx.AsyncClient(base_url=lab.api_url, headers=headers, timeout=MAX_ANSWER_S) as client:
        while len(seconds) < REPETITIONS and time.perf_counter() - began < PATIENCE_S:
            asked = time.perf_counter()
            answer = await client.get(f"/trials/{trial_id}/series", params={"points": 1000, "keys": list(charts)})
            answer.raise_for_status()
            seconds.append(time.perf_counter() - asked)
            size = len(answer.content)
    return Answers(seconds, size)


async def _read_rows_s(connection: Connection, trial_id: str) -> float:
    began = time.perf_counter()
    await connection.fetch("SELECT layout, t_us, took_us, values FROM frame WHERE trial_id = $1", trial_id)
    return time.perf_counter() - began
