"""How long a large run takes to be analysed, and to be computed anew for another measured window."""

import time
from statistics import median
from uuid import UUID, uuid4

import httpx2

from scripts.bench.lab import Connection, Lab
from scripts.bench.pretend_host import enrol
from scripts.bench.results import Budget, Measurement, NotMeasuredError
from scripts.bench.viewer import follow

_TRIALS = "SELECT id, position FROM trial WHERE run_id = $1 AND state = 'completed' ORDER BY position"
_TRIAL = """
    INSERT INTO trial SELECT (jsonb_populate_record(trial, jsonb_build_object(
        'id', $2::text, 'block', $3::int, 'position', $4::int, 'summary', NULL, 'checks', NULL))).*
    FROM trial WHERE id = $1
"""
_DATA = ("trial_host", "layout", "artefact", "frame", "latency_interval", "trial_event")
_COLUMNS = """
    SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
    WHERE table_name = $1 AND column_name <> $2 AND is_identity = 'NO'
"""
_SECOND_HOST = (
    "UPDATE run_host SET host_id = $2 WHERE run_id = $1 AND slot = 'generator'",
    "UPDATE latency_interval SET host_id = $2 WHERE trial_id IN (SELECT id FROM trial WHERE run_id = $1)",
)
_ROLES = (
    "UPDATE trial_host SET spec = jsonb_set(spec, '{streams}', '[]') WHERE trial_id = ANY($1) AND host_id <> $2",
    "UPDATE trial_host SET spec = jsonb_set(spec, '{nginx}', 'null') WHERE trial_id = ANY($1) AND host_id = $2",
    "DELETE FROM artefact WHERE trial_id = ANY($1) AND host_id = $2",
)


async def enlarge(connection: Connection, run_id: str, second_host: UUID, blocks: int) -> int:
    """Until the run has so many blocks, on two hosts that each have all frames. Returns the number of trials."""
    real = [(row["id"], row["position"]) for row in await connection.fetch(_TRIALS, run_id)]
    if not real:
        raise NotMeasuredError("the run to enlarge has no completed trial")
    every = [trial for trial, _ in real]
    async with connection.transaction():
        for block in range(2, blocks + 1):
            for trial, position in real:
                copy = uuid4()
                await connection.execute(_TRIAL, trial, str(copy), block, position + (block - 1) * len(real))
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
        await connection.execute("UPDATE run SET blocks = $2 WHERE id = $1", run_id, blocks)
        await connection.execute("UPDATE trial SET summary = NULL, checks = NULL WHERE run_id = $1", run_id)
    await connection.execute("ANALYZE")
    return len(every)


async def _copy(connection: Connection, table: str, column: str, ids: tuple[UUID, UUID], trials: list[UUID]) -> None:
    """The rows of these trials in which ``column`` is the first id, once more with the second."""
    others = await connection.fetchval(_COLUMNS, table, column)
    statement = f"INSERT INTO {table} ({column}, {others}) SELECT $2, {others} FROM {table} WHERE {column} = $1"
    await connection.execute(f"{statement} AND trial_id = ANY($3)", *ids, trials)


BLOCKS = 20
REPETITIONS = 5
DEFINITION = (
    "A real run of three arms, with trials of 5 s and 30 s at 1 Hz, whose trials were copied to 20 blocks with all "
    "their data, on two hosts of which each has all readings. Analysed: GET /runs/ID/report over HTTP, with the "
    "trials' stored summaries. Re-windowed: PUT /runs/ID/window, until everything is computed from the raw data and "
    "stored, each time with a window that was not chosen before. Medians."
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
    moved, analysed = await _times(lab, run["id"], parameters["measure_s"])
    budget = Budget("at most", 1.0)
    detail = {"trials": trials, "samples": int(samples), "answers_s": moved}
    return [
        Measurement("analyse", f"report of {trials} trials on 2 hosts", median(analysed), "s", budget, DEFINITION,
                    {"answers_s": analysed}),
        Measurement("rewindow", f"another window for {trials} trials on 2 hosts", median(moved), "s", budget,
                    DEFINITION, detail),
    ]  # fmt: skip


async def _times(lab: Lab, run_id: str, measure_s: float) -> tuple[list[float], list[float]]:
    moved, analysed = [], []
    headers = {"Authorization": f"Bearer {lab.token}"}
    async with httpx2.AsyncClient(base_url=lab.api_url, headers=headers, timeout=120) as client:
        (await client.get(f"/runs/{run_id}/report")).raise_for_status()  # the copies get their summaries
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
    return moved, analysed
