"""Rows like those that real runs have left, in any number: long histories, full queues, large fleets."""

from typing import Any

Connection = Any
"""asyncpg's connection; the library has no types."""

EXPERIMENTS = 100
TRIALS_A_RUN = 10
_COLUMNS = """
    SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
    WHERE table_name = $1 AND is_generated = 'NEVER' AND is_identity = 'NO'
"""
_INSERT = """
    INSERT INTO {table} ({columns}) SELECT {columns}
    FROM (SELECT (jsonb_populate_record(original, changes)).* FROM ({wanted}) wanted) copies
"""
_EXPERIMENT = """
    SELECT experiment AS original, jsonb_build_object('id', gen_random_uuid(), 'name', 'History ' || n) AS changes
    FROM experiment, generate_series(1, $2::int) n WHERE id = (SELECT experiment_id FROM run WHERE id = $1)
"""
_VERSION = """
    SELECT version AS original, jsonb_build_object('id', gen_random_uuid(), 'experiment_id', made.id) AS changes
    FROM experiment_version version, experiment made
    WHERE version.number = 1 AND version.experiment_id = (SELECT experiment_id FROM run WHERE id = $1)
        AND made.name LIKE 'History %'
"""
_RUN = """
    SELECT run AS original, jsonb_build_object(
        'id', gen_random_uuid(), 'number', n, 'experiment_id', version.experiment_id,
        'experiment_version_id', version.id, 'note', 'night ' || n,
        'created_at', run.created_at - ago, 'started_at', run.started_at - ago,
        'finished_at', run.finished_at - ago,
        'raw_bytes', 0, 'packed_at', run.finished_at,
        'tags', CASE WHEN n % 10 = 0 THEN '["nightly"]'::jsonb ELSE '[]'::jsonb END) AS changes
    FROM run, generate_series(1, $2::int) n, LATERAL (SELECT n * interval '180 days' / $2::int AS ago) age,
        experiment_version version
        JOIN experiment ON experiment.id = version.experiment_id AND experiment.name LIKE 'History %'
    WHERE run.id = $1
"""
_HOST = """
    SELECT run_host AS original, jsonb_build_object('run_id', run.id) AS changes
    FROM run_host, run JOIN experiment ON experiment.id = run.experiment_id AND experiment.name LIKE 'History %'
    WHERE run_host.run_id = $1
"""
_TRIAL = """
    SELECT trial AS original, jsonb_build_object(
        'id', gen_random_uuid(), 'run_id', run.id, 'position', n, 'block', n) AS changes
    FROM trial, generate_series(1, $2::int) n,
        run JOIN experiment ON experiment.id = run.experiment_id AND experiment.name LIKE 'History %'
    WHERE trial.id = (SELECT id FROM trial WHERE run_id = $1 AND state = 'completed' LIMIT 1)
"""


async def copy_rows(connection: Connection, table: str, wanted: str, *given: object) -> None:
    """``wanted``: a query that gives rows of the table as ``original``, each with the ``changes`` of a copy as JSON."""
    columns = await connection.fetchval(_COLUMNS, table)
    await connection.execute(_INSERT.format(table=table, columns=columns, wanted=wanted), *given)


async def copy_runs(connection: Connection, run_id: str, runs: int) -> tuple[int, int]:
    """A real run, with its trials, summaries and analysis, in many experiments and months.

    Returns how many runs and trials there are then.
    """
    async with connection.transaction():
        await copy_rows(connection, "experiment", _EXPERIMENT, run_id, EXPERIMENTS)
        await copy_rows(connection, "experiment_version", _VERSION, run_id)
        await copy_rows(connection, "run", _RUN, run_id, runs // EXPERIMENTS)
        await copy_rows(connection, "run_host", _HOST, run_id)
        await copy_rows(connection, "trial", _TRIAL, run_id, TRIALS_A_RUN)
    await connection.execute("VACUUM ANALYZE")
    return await connection.fetchval("SELECT count(*) FROM run"), await connection.fetchval(
        "SELECT count(*) FROM trial"
    )
