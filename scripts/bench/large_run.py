"""Make a real run large: its trials are repeated with all their data, and their load is moved to a second host."""

from uuid import UUID, uuid4

from scripts.bench.lab import Connection
from scripts.bench.results import NotMeasuredError

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
