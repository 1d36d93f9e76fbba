"""A long history: a real run, copied with its trials, summaries and analysis to many experiments and months."""

from scripts.bench.lab import Connection

EXPERIMENTS = 100
TRIALS_A_RUN = 10
_COLUMNS = """
    SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
    WHERE table_name = $1 AND is_generated = 'NEVER' AND is_identity = 'NO'
"""
_EXPERIMENT = """
    WITH source AS (SELECT experiment_id AS id FROM run WHERE id = $1), made AS (
        SELECT gen_random_uuid() AS id, gen_random_uuid() AS version_id, n FROM generate_series(1, $2::int) n
    ), experiments AS (
        INSERT INTO experiment SELECT (jsonb_populate_record(experiment, jsonb_build_object(
            'id', made.id, 'name', 'History ' || made.n))).* FROM experiment JOIN source USING (id), made
        RETURNING id
    )
    INSERT INTO experiment_version SELECT (jsonb_populate_record(experiment_version, jsonb_build_object(
        'id', made.version_id, 'experiment_id', made.id))).*
    FROM experiment_version JOIN source ON source.id = experiment_version.experiment_id, made
    WHERE experiment_version.number = 1 AND EXISTS (SELECT FROM experiments)
"""
_RUN = """
    INSERT INTO run ({columns}) SELECT {columns} FROM (
        SELECT (jsonb_populate_record(run, jsonb_build_object(
            'id', gen_random_uuid(), 'number', n, 'experiment_id', version.experiment_id,
            'experiment_version_id', version.id, 'note', 'night ' || n,
            'created_at', run.created_at - ago, 'started_at', run.started_at - ago,
            'finished_at', run.finished_at - ago,
            'raw_bytes', 0, 'packed_at', run.finished_at,
            'tags', CASE WHEN n % 10 = 0 THEN '["nightly"]'::jsonb ELSE '[]'::jsonb END))).*
        FROM run, generate_series(1, $2::int) n, LATERAL (SELECT n * interval '180 days' / $2::int AS ago) age,
            experiment_version version
            JOIN experiment ON experiment.id = version.experiment_id AND experiment.name LIKE 'History %'
        WHERE run.id = $1) copies
"""
_HOSTS = """
    INSERT INTO run_host SELECT (jsonb_populate_record(run_host, jsonb_build_object('run_id', run.id))).*
    FROM run_host, run JOIN experiment ON experiment.id = run.experiment_id AND experiment.name LIKE 'History %'
    WHERE run_host.run_id = $1
"""
_TRIAL = """
    INSERT INTO trial ({columns}) SELECT {columns} FROM (
        SELECT (jsonb_populate_record(trial, jsonb_build_object(
            'id', gen_random_uuid(), 'run_id', run.id, 'position', n, 'block', n))).*
        FROM trial, generate_series(1, $2::int) n,
            run JOIN experiment ON experiment.id = run.experiment_id AND experiment.name LIKE 'History %'
        WHERE trial.id = (SELECT id FROM trial WHERE run_id = $1 AND state = 'completed' LIMIT 1)) copies
"""


async def copy_runs(connection: Connection, run_id: str, runs: int) -> tuple[int, int]:
    """Returns how many runs and trials there are then."""
    async with connection.transaction():
        await connection.execute(_EXPERIMENT, run_id, EXPERIMENTS)
        for statement, table, number in ((_RUN, "run", runs // EXPERIMENTS), (_TRIAL, "trial", TRIALS_A_RUN)):
            columns = await connection.fetchval(_COLUMNS, table)
            await connection.execute(statement.format(columns=columns), run_id, number)
            if table == "run":
                await connection.execute(_HOSTS, run_id)
    await connection.execute("VACUUM ANALYZE")
    return await connection.fetchval("SELECT count(*) FROM run"), await connection.fetchval(
        "SELECT count(*) FROM trial"
    )
