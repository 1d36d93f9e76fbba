"""With 10,000 runs and 100,000 trials, what heartbeats, looks and lists ask reads no large table as a whole."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from ngxlab.accounts.access import Caller
from ngxlab.accounts.models import Account, Role
from ngxlab.core import migrate
from ngxlab.core.bus import Bus
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.core.paging import PageQuery
from ngxlab.experiments import repository as experiments
from ngxlab.metrics import repository as metrics
from ngxlab.metrics.models import LayoutRow
from ngxlab.runs import list_repository as history
from ngxlab.runs import repository as runs
from ngxlab.runs.list_repository import RunFilter
from ngxlab.runs.models import Run, Trial, TrialHost
from ngxlab.runs.queue import repository as queue
from sqlalchemy import event, select
from sqlalchemy.ext.asyncio import AsyncSession

_MOST_BLOCKS = 2_000
"""Less than any of the large tables has; 8 kB each, from memory or from the disk."""
_LARGE = frozenset({"run", "trial", "trial_host", "run_host", "frame"})

_ROWS = """
    CREATE FUNCTION pg_temp.filling() RETURNS jsonb VOLATILE LANGUAGE sql AS $$
        SELECT jsonb_agg(md5(random()::text)) FROM generate_series(1, 40) $$;
    INSERT INTO account (id, email, role) VALUES (gen_random_uuid(), 'a@b.example', 'administrator');
    INSERT INTO host (id, name, credential_hash, inventory, agent_version, protocol, sightings, draining)
        SELECT gen_random_uuid(), 'h' || n, 'c' || n, '{}', '1', '1.0', '[]', false FROM generate_series(1, 50) n;
    INSERT INTO experiment (id, name, created_by) SELECT gen_random_uuid(), 'e' || n, account.id
        FROM account, generate_series(1, 100) n;
    INSERT INTO experiment_version (id, experiment_id, number, definition, created_by)
        SELECT gen_random_uuid(), id, 1, '{}', created_by FROM experiment;
    INSERT INTO run (id, experiment_id, experiment_version_id, number, state, seed, created_by, created_at, live_seq,
            blocks, analysis)
        SELECT gen_random_uuid(), experiment_id, id, n,
            CASE WHEN n > 98 THEN 'running' WHEN n > 96 THEN 'queued' ELSE 'completed' END,
            1, created_by, now() - n * interval '1 hour', 0, 1, pg_temp.filling()
        FROM experiment_version, generate_series(1, 100) n;
    INSERT INTO run_host (run_id, slot, host_id, address, inventory)
        SELECT run.id, 'target', host.id, '::1', pg_temp.filling()
        FROM run JOIN host ON host.name = 'h' || (run.number % 50 + 1);
    INSERT INTO trial (id, run_id, position, block, arm, attempt, state, summary)
        SELECT gen_random_uuid(), run.id, n, n, 'a', 1,
            CASE run.state WHEN 'running' THEN CASE WHEN n = 1 THEN 'measuring' ELSE 'pending' END
                WHEN 'queued' THEN 'pending' ELSE 'completed' END,
            jsonb_build_object('text', repeat('word ', 40))
        FROM run, generate_series(1, 10) n;
    INSERT INTO trial_host (trial_id, host_id, spec, acked_seq, endpoints, ended_streams, outcome)
        SELECT trial.id, run_host.host_id, '{}', 0, '[]', 0, CASE WHEN trial.state = 'completed' THEN 'completed' END
        FROM trial JOIN run_host USING (run_id) WHERE trial.state <> 'pending';
    INSERT INTO layout (trial_id, host_id, id, collector, series)
        SELECT trial_id, host_id, n, 'c', '[]' FROM (SELECT trial_id, host_id FROM trial_host LIMIT 1) AS long,
            generate_series(1, 8) n;
    INSERT INTO frame (trial_id, host_id, layout, t_us, took_us, live_seq, values)
        SELECT trial_id, host_id, id, n * 1000000::bigint, 1, n, '{1}' FROM layout, generate_series(1, 10000) n;
"""


@pytest.fixture(scope="module")
def large(postgresql_url: str) -> Iterator[str]:
    """The URL of a database with a long history: of each hundred runs two go on and two wait; one trial is long."""
    name = f"large_{uuid4().hex[:8]}"
    url = postgresql_url.rpartition("/")[0] + f"/{name}"
    asyncio.run(_execute(postgresql_url, f"CREATE DATABASE {name}"))
    migrate.upgrade(url.replace("postgresql://", "postgresql+asyncpg://"))
    asyncio.run(_execute(url, _ROWS))
    asyncio.run(_execute(url, "VACUUM ANALYZE"))
    yield url.replace("postgresql://", "postgresql+asyncpg://")
    asyncio.run(_execute(postgresql_url, f"DROP DATABASE {name} WITH (FORCE)"))


async def _execute(url: str, statements: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(statements)
    await connection.close()


@dataclass
class _Ids:
    """The ids of a run that goes on, and of what belongs to it."""

    run: UUID
    experiment: UUID
    trial: UUID
    host: UUID
    every_experiment: list[UUID] = field(default_factory=list)


_SOMEBODY = Caller(Account(id=uuid4(), role=Role.viewer))
"""Lists ask which teams this person is in."""
_Ask = Callable[[AsyncSession, _Ids], Awaitable[Any]]


async def _later_attempts(session: AsyncSession, ids: _Ids) -> None:
    trial = await runs.trial(session, ids.trial)
    assert trial is not None
    await runs.later_attempts(session, trial)


async def _how_far(session: AsyncSession, _: _Ids) -> None:
    long_trial = await session.scalar(select(LayoutRow.trial_id).limit(1))
    assert long_trial is not None
    assert await metrics.last_live_seq(session, long_trial) == 10_000


_ASKED: dict[str, _Ask] = {
    "heartbeat: trials of the host": lambda session, ids: runs.unfinished_trials_of_host(session, ids.host),
    "heartbeat: a spooled trial": lambda session, ids: runs.run_of_trial_host(session, ids.trial, ids.host),
    "heartbeat: a lost trial": _later_attempts,
    "batch: lock the run": lambda session, ids: runs.lock_run_row(session, ids.run),
    "batch: position": lambda session, ids: runs.raise_live_seq(session, ids.run),
    "look: the queue": lambda session, _: queue.queue(session),
    "look: who has which host": lambda session, _: queue.holders(session),
    "look: runs to hint": lambda session, _: queue.undriven(session, None),
    "look: runs to hint again": lambda session, _: queue.undriven(session, utcnow()),
    "look: trials": lambda session, _: runs.ids_of_unfinished_trials(session),
    "step: trials": lambda session, ids: runs.trials(session, ids.run),
    "step: trials in progress": lambda session, ids: runs.ids_of_unfinished_trials(session, ids.run),
    "step: other runs": lambda session, ids: runs.others_measure_on(session, ids.run, [ids.host]),
    "list of runs": lambda session, _: history.page(session, _SOMEBODY, RunFilter()),
    "list of an experiment": lambda session, ids: history.page(
        session, _SOMEBODY, RunFilter(experiment_id=ids.experiment)
    ),
    "newest runs": lambda session, ids: runs.latest_by_experiment(session, _SOMEBODY, ids.every_experiment),
    "number of runs": lambda session, ids: runs.counts_by_version(session, [ids.experiment]),
    "stream: how far a trial is": _how_far,
    "number of a new run": lambda session, ids: runs.next_run_number(session, ids.experiment),
}


@pytest.mark.parametrize("name", _ASKED)
async def test_nothing_is_read_from_the_first_row_to_the_last(large: str, name: str) -> None:
    plans = await _plans(large, _ASKED[name])
    assert plans
    whole = [table for plan in plans for table in _read_whole(plan)]
    assert not whole, (name, whole)
    assert sum(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] for plan in plans) < _MOST_BLOCKS


async def _plans(url: str, ask: _Ask) -> list[dict[str, Any]]:
    """The plans of the statements that are sent when this is asked."""
    database = Database(url, Bus.__new__(Bus))
    sent: list[tuple[str, Any]] = []
    try:
        async with database.transaction() as session:
            ids = await _ids(session)
            connection = await session.connection()

            def note(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
                sent.append((statement, parameters))

            event.listen(connection.sync_connection, "before_cursor_execute", note)
            await ask(session, ids)
            event.remove(connection.sync_connection, "before_cursor_execute", note)
            plans = []
            for statement, parameters in sent:
                explained = await connection.exec_driver_sql(
                    f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", parameters
                )
                plans.append(explained.scalar_one()[0]["Plan"])
            await session.rollback()
    finally:
        await database.close()
    return plans


async def _ids(session: AsyncSession) -> _Ids:
    run, experiment = (await session.execute(select(Run.id, Run.experiment_id).where(Run.state == "running"))).first()  # type: ignore[misc]
    going_on = select(TrialHost.trial_id, TrialHost.host_id).join(Trial, Trial.id == TrialHost.trial_id)
    trial, host = (await session.execute(going_on.where(Trial.run_id == run))).one()
    every, _ = await experiments.experiments(session, _SOMEBODY, PageQuery(0, 50), search="", archived=False)
    return _Ids(run, experiment, trial, host, [one.id for one in every])


def _read_whole(plan: dict[str, Any]) -> list[str]:
    own = [plan["Relation Name"]] if plan["Node Type"] == "Seq Scan" else []
    inner = [table for one in plan.get("Plans", []) for table in _read_whole(one)]
    return [table for table in [*own, *inner] if table in _LARGE]
