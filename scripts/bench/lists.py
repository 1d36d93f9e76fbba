"""How long lists take with a long history behind them."""

import time
from statistics import median

import httpx2

from scripts.bench.lab import Lab
from scripts.bench.many_runs import copy_runs
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.bench.viewer import follow

RUNS = 10_000
QUICK_RUNS = 1000
REPETITIONS = 7
MAX_ANSWER_S = 60
DEFINITION = (
    "A real run of two arms was copied, with its hosts, analysis, and trials with their summaries, to 100 experiments "
    "and over the months before. Each list over HTTP, from the request to the last byte, 50 rows where it has pages: "
    "the median of 7 requests for each of the lists in `detail`, and of these the slowest."
)


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """The slowest of the lists, in milliseconds."""
    parameters = {"blocks": 1, "cooldown_s": 0, "warmup_s": 1, "measure_s": 5}
    body = {"name": "Lists", "template_key": "reuseport", "parameters": parameters}
    run = await follow(lab, await lab.start_run(await lab.post("/experiments", body)))
    async with lab.database() as connection:
        runs, trials = await copy_runs(connection, run["id"], QUICK_RUNS if quick else RUNS)
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
    medians = {name: await _median_ms(lab, path) for name, path in lists.items()}
    slowest = max(medians, key=lambda name: medians[name])
    what = f"lists, with {runs:,} runs and {trials:,} trials: the slowest ({slowest})"
    return [Measurement("lists", what, medians[slowest], "ms", Budget("at most", 200), DEFINITION, medians)]


async def _median_ms(lab: Lab, path: str) -> float:
    seconds = []
    headers = {"Authorization": f"Bearer {lab.token}"}
    async with httpx2.AsyncClient(base_url=lab.api_url, headers=headers, timeout=MAX_ANSWER_S) as client:
        for _ in range(REPETITIONS):
            began = time.perf_counter()
            answer = await client.get(path)
            seconds.append(time.perf_counter() - began)
            if not answer.is_success:
                raise NotMeasuredError(f"GET {path}: {answer.status_code} {answer.text[:300]}")
    return 1000 * median(seconds)
