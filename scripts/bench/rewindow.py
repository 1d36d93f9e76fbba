"""How long a large run takes to be analysed, and to be computed anew for another measured window."""

import time
from statistics import median

import httpx

from scripts.bench.lab import Lab
from scripts.bench.large_run import enlarge
from scripts.bench.pretend_host import enrol
from scripts.bench.results import Budget, Measurement
from scripts.bench.viewer import follow

BLOCKS = 20
REPETITIONS = 5
DEFINITION = (
    "A real run of three arms, with trials of 5 s and 30 s at 1 Hz, whose trials were copied to 20 blocks with all "
    "their data, on two hosts of which each has all readings. Analysed: GET /runs/ID/report over HTTP, with the "
    "trials' stored summaries. Re-windowed: PUT /runs/ID/window, until everything is computed from the raw data and "
    "stored, each time with a window that was not chosen before. Before the first, POST /runs/ID/window/preparation "
    "has answered, which the page sends when somebody begins to draw a window (`preparation_s`). Medians."
)


async def measure(lab: Lab, *, quick: bool) -> list[Measurement]:
    """Both in seconds."""
    parameters = {"blocks": 1, "cooldown_s": 0, "warmup_s": 1 if quick else 5, "measure_s": 6 if quick else 30}
    body = {"name": "Benchmark", "template_key": "reuseport", "parameters": parameters}
    run = await follow(lab, await lab.start_run(await lab.post("/experiments", body)))
    second_host, _ = enrol(lab)
    async with lab.database() as connection:
        trials = await enlarge(connection, run["id"], second_host, BLOCKS)
        samples = await connection.fetchval(
            "SELECT sum(cardinality(values)) FROM frame WHERE trial_id IN (SELECT id FROM trial WHERE run_id = $1)",
            run["id"],
        )
    prepared, moved, analysed = await _times(lab, run["id"], parameters["measure_s"])
    budget = Budget("at most", 1.0)
    detail = {"trials": trials, "samples": int(samples), "preparation_s": prepared, "answers_s": moved}
    return [
        Measurement("analyse", f"report of {trials} trials on 2 hosts", median(analysed), "s", budget, DEFINITION,
                    {"answers_s": analysed}),
        Measurement("rewindow", f"another window for {trials} trials on 2 hosts", median(moved), "s", budget,
                    DEFINITION, detail),
    ]  # fmt: skip


async def _times(lab: Lab, run_id: str, measure_s: float) -> tuple[float, list[float], list[float]]:
    moved, analysed = [], []
    headers = {"Authorization": f"Bearer {lab.token}"}
    async with httpx.AsyncClient(base_url=lab.api_url, headers=headers, timeout=120) as client:
        (await client.get(f"/runs/{run_id}/report")).raise_for_status()  # the copies get their summaries
        began = time.perf_counter()
        (await client.post(f"/runs/{run_id}/window/preparation")).raise_for_status()
        prepared = time.perf_counter() - began
        for number in range(REPETITIONS):
            window = {"start_s": (number + 1) / 4, "end_s": measure_s}
            began = time.perf_counter()
            (await client.put(f"/runs/{run_id}/window", json=window)).raise_for_status()
            moved.append(time.perf_counter() - began)
            began = time.perf_counter()
            report = (await client.get(f"/runs/{run_id}/report")).raise_for_status().json()
            analysed.append(time.perf_counter() - began)
            if report["windows"]["run"] != window or report["unreadable"]:
                raise ValueError(f"the report does not follow the window: {report['windows']}, {report['unreadable']}")
    return prepared, moved, analysed
