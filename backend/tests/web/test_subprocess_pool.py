"""What people send in is worked out where it can be ended, and nobody takes all of it."""

import asyncio
import os
import resource
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest
from harness import Backend
from ngxlab.core.errors import Invalid, TooManyRequests
from ngxlab.core.subprocess_pool.pool import ProcessPool
from ngxlab.core.throttle import A_MINUTE, AT_ONCE, WAITING, Quota


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProcessPool]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    pool = ProcessPool("web.hostile_jobs", seconds=1)
    yield pool
    pool.stop()


async def test_a_result_comes_back_as_it_is(pool: ProcessPool) -> None:
    text = "ä\n" + "x" * 3_000_000 + "\n\n"
    assert await pool.run("echo", text) == text


async def test_a_process_with_thousands_of_connections_has_jobs_done(pool: ProcessPool) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(1_100):
            stack.enter_context(Path(os.devnull).open())
        assert await pool.run("echo", "ä") == "ä"


async def test_a_refusal_comes_back_with_its_fields(pool: ProcessPool) -> None:
    with pytest.raises(Invalid) as refused:
        await pool.run("refuse", "")
    assert (refused.value.code, refused.value.errors[0].field) == ("wrong", "a.b")


@pytest.mark.parametrize("job", ["never_ends", "never_leaves_c", "takes_all_memory", "dies", "breaks"])
async def test_what_is_too_costly_is_ended_and_the_next_one_served(pool: ProcessPool, job: str) -> None:
    before = await pool.run("who", "")
    with pytest.raises(Invalid) as refused:
        await pool.run(job, "")
    assert refused.value.code == "too-costly"
    assert await pool.run("who", "") != before or await pool.run("echo", "still here") == "still here"
    assert await pool.run("echo", "and on") == "and on"


async def test_the_processes_know_no_secret_and_end_with_the_pool(pool: ProcessPool) -> None:
    assert "DATABASE_URL" not in await pool.run("environment", "")
    pid = int(await pool.run("who", ""))
    pool.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_person_waits_in_line_and_others_do_not() -> None:
    quota, one, other = Quota(), uuid4(), uuid4()
    done = asyncio.Event()

    async def busy() -> None:
        async with quota.turn(one):
            await done.wait()

    tasks = [asyncio.create_task(busy()) for _ in range(AT_ONCE + WAITING)]
    await asyncio.sleep(0)  # each of them has asked
    with pytest.raises(TooManyRequests) as refused:
        async with quota.turn(one):
            pass
    assert int(refused.value.headers["Retry-After"]) >= 1
    async with quota.turn(other):
        pass
    done.set()
    await asyncio.gather(*tasks)
    async with quota.turn(one):
        pass


async def test_a_person_has_so_many_a_minute() -> None:
    quota, one = Quota(), uuid4()
    for _ in range(A_MINUTE):
        async with quota.turn(one):
            pass
    with pytest.raises(TooManyRequests) as refused:
        async with quota.turn(one):
            pass
    assert 1 <= int(refused.value.headers["Retry-After"]) <= 60
    async with quota.turn(uuid4()):
        pass


def test_previews_and_imports_are_worked_out_apart(backend: Backend) -> None:
    person = backend.person()
    definition = person.experiment()["definition"]
    preview = person.client.post("/experiments/preview", json={"definition": definition})
    assert (preview.status_code, preview.json()["problems"]) == (200, [])
    of_template = person.client.post("/templates/reuseport/preview", json={"parameters": {"blocks": 2}})
    assert of_template.json()["plan"]["blocks"] == 2
    assert person.client.post("/templates/none/preview", json={}).json()["code"] == "not-found"


def test_who_asks_too_often_is_told_when_to_come_back(backend: Backend) -> None:
    viewer = backend.person().client
    answers = [viewer.post("/templates/reuseport/preview", json={"parameters": {}}) for _ in range(A_MINUTE + 1)]
    assert {answer.status_code for answer in answers[:A_MINUTE]} == {200}
    assert (answers[-1].status_code, answers[-1].json()["code"]) == (429, "quota")
    assert int(answers[-1].headers["Retry-After"]) >= 1
    assert viewer.get("/auth/me").status_code == 200
