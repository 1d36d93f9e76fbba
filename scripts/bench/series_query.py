"""How long a chart of a long trial takes to come."""

import time
from statistics import median

import httpx

from scripts.bench.lab import Connection, Lab
from scripts.bench.long_trial import lengthen
from scripts.bench.results import Budget, Measure
from scripts.bench.viewer import follow

DEFINITION = (
    "GET /trials/ID/series?points=1000 over HTTP, from the request to the last byte, of a real 10 Hz trial whose own "
    "readings (all its collectors) were carried on by COPY to the number of samples stated. Median of the repetitions."
)
SAMPLES = 10_000_000
QUICK_SAMPLES = 500_000
INTERVAL_MS = 100
REPETITIONS = 5
PATIENCE_S = 60
"""No further repetition is begun after that."""
LONGEST_ANSWER_S = 600


async def measure(lab: Lab, *, quick: bool) -> list[Measure]:
    """The median, in milliseconds."""
    experiment = await lab.one_arm_experiment(warmup_s=0, measure_s=3, interval_ms=INTERVAL_MS)
    run = await follow(lab, await lab.start_run(experiment))
    trial_id = run["trials"][0]["id"]
    ordinary_s, _ = await _ask(lab, trial_id)
    async with lab.database() as connection:
        samples = await lengthen(connection, trial_id, QUICK_SAMPLES if quick else SAMPLES, INTERVAL_MS * 1000)
        rows_s = await _read_rows_s(connection, trial_id)
    answers_s, size = await _ask(lab, trial_id)
    return [
        Measure(
            name="series-query",
            what=f"series query: {samples:,} stored samples to 1,000 points a line",
            value=1000 * median(answers_s),
            unit="ms",
            budget=Budget("at most", 100),
            definition=DEFINITION,
            detail={
                "samples": samples,
                "answers_s": answers_s,
                "answer_bytes": size,
                "same_trial_before_it_was_lengthened_s": median(ordinary_s),
                "plain_select_of_the_same_rows_s": rows_s,
            },
        )
    ]


async def _ask(lab: Lab, trial_id: str) -> tuple[list[float], int]:
    """Seconds of each answer, and the size of the last one in bytes."""
    answers_s: list[float] = []
    size = 0
    headers = {"Authorization": f"Bearer {lab.token}"}
    began = time.perf_counter()
    async with httpx.AsyncClient(base_url=lab.api_url, headers=headers, timeout=LONGEST_ANSWER_S) as client:
        while len(answers_s) < REPETITIONS and time.perf_counter() - began < PATIENCE_S:
            asked = time.perf_counter()
            answer = await client.get(f"/trials/{trial_id}/series", params={"points": 1000})
            answer.raise_for_status()
            answers_s.append(time.perf_counter() - asked)
            size = len(answer.content)
    return answers_s, size


async def _read_rows_s(connection: Connection, trial_id: str) -> float:
    began = time.perf_counter()
    await connection.fetch("SELECT layout, t_us, took_us, values FROM frame WHERE trial_id = $1", trial_id)
    return time.perf_counter() - began
