"""The backend ends when it is told to, whatever its work in the background waits for."""

import asyncio

import asyncpg
from ngxlab.core.loops.loop import end
from services import wait_until
from serving import own_database, serving
from structlog.testing import capture_logs

_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def test_the_backend_ends_while_an_analysis_waits_for_a_lock(postgresql_url: str) -> None:
    with own_database(postgresql_url) as settings, asyncio.Runner() as runner:
        url = settings.database_url.get_secret_value().replace("+asyncpg", "")
        other = runner.run(asyncpg.connect(url))
        try:
            with serving(settings) as lab:
                person, agent, coordinator = lab.person(), lab.agent(), lab.coordinator()
                run_id = person.run(agent)["id"]
                runner.run(other.execute("BEGIN; LOCK TABLE calibration"))
                coordinator.lease(run_id).raise_for_status()
                while (step := coordinator.next(run_id))["kind"] == "trial":
                    agent.whole_trial(coordinator, step["trial"]["trial_id"])
                wait_until(lambda: runner.run(other.fetchval(_WAITING)), "an analysis waiting for the lock")
            # It has ended: its connections are gone, and nothing of it waits.
            wait_until(lambda: not runner.run(other.fetchval(_WAITING)), "nobody waiting any more")
        finally:
            runner.run(other.close())


async def test_a_task_that_ignores_its_end_is_left_and_named() -> None:
    told, stop = asyncio.Event(), asyncio.Event()

    async def stubborn() -> None:
        while not stop.is_set():
            try:
                await stop.wait()
            except asyncio.CancelledError:
                told.set()

    task = asyncio.create_task(stubborn())
    try:
        await asyncio.sleep(0)
        with capture_logs() as logs:
            await end([task], 0.05)
        assert told.is_set()
        assert not task.done()
        assert [entry["at"][0].rpartition(":")[0] for entry in logs] == [__file__]
    finally:
        stop.set()
        await task
