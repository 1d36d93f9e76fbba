"""No error of a round ends a loop of the backend; its age tells that it achieves nothing."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from ngxlab.core.loops import loop as loops
from ngxlab.core.loops.loop import Loop
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError
from structlog.testing import capture_logs

PATIENCE_S = 30
ERRORS = [ValueError("broken"), KeyError("none"), RecursionError(), ExceptionGroup("several", [TypeError()]),
          SQLAlchemyError("away"), RedisError("away"), ConnectionRefusedError(), TimeoutError()]  # fmt: skip


class Rounds:
    """The first two fail."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.begun = 0
        self.succeeded = asyncio.Event()

    async def look(self) -> None:
        self.begun += 1
        if self.begun < 3:
            raise self.error
        self.succeeded.set()


@contextmanager
def running(loop: Loop) -> Iterator["asyncio.Task[None]"]:
    task = asyncio.create_task(loop.run_for_ever())
    try:
        yield task
    finally:
        task.cancel()


@pytest.mark.parametrize("error", ERRORS, ids=repr)
async def test_no_error_of_a_round_ends_it(error: Exception) -> None:
    rounds = Rounds(error)
    with capture_logs() as logs, running(Loop("a loop", rounds.look, 0)) as task:
        await asyncio.wait_for(rounds.succeeded.wait(), PATIENCE_S)
        assert not task.done()
    assert [(entry["event"], entry["loop"]) for entry in logs] == [("a loop could not look", "a loop")] * 2


async def test_a_round_that_failed_is_repeated_long_before_the_next_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_AGAIN_S", 0.0)
    rounds = Rounds(SQLAlchemyError("away"))
    with capture_logs(), running(Loop("a loop", rounds.look, 3600)):
        await asyncio.wait_for(rounds.succeeded.wait(), PATIENCE_S)


async def test_only_a_whole_round_makes_it_young() -> None:
    async def fail() -> None:
        raise ValueError("broken")

    rounds = Rounds(ValueError("broken"))
    works, fails = Loop("a loop", rounds.look, 0), Loop("another", fail, 0)
    made_at = time.monotonic()
    with capture_logs(), running(works), running(fails):
        await asyncio.wait_for(rounds.succeeded.wait(), PATIENCE_S)
        young, since_made = works.age_s(), time.monotonic() - made_at
        assert young < since_made <= fails.age_s()


async def test_a_loop_that_is_told_that_there_is_something_to_do_looks_at_once() -> None:
    looks: asyncio.Queue[None] = asyncio.Queue()
    loop = Loop("a loop", lambda: looks.put(None), 3600)
    with running(loop):
        for _ in range(2):
            await asyncio.wait_for(looks.get(), PATIENCE_S)
            loop.tell(anything_to_do=True)


async def test_told_that_there_is_nothing_to_do_only_a_loop_that_rests_stays_young() -> None:
    rests, stands_still = asyncio.Event(), asyncio.Event()

    async def look() -> None:
        rests.set()

    async def hang() -> None:
        stands_still.set()
        await asyncio.Event().wait()

    quiet, broken = Loop("a loop", look, 3600), Loop("another", hang, 3600)
    with running(quiet), running(broken):
        await asyncio.wait_for(asyncio.gather(rests.wait(), stands_still.wait()), PATIENCE_S)
        began = time.monotonic()
        for loop in (quiet, broken):
            loop.tell(anything_to_do=False)
        assert quiet.age_s() <= time.monotonic() - began < broken.age_s()


@pytest.mark.parametrize("now", [0.0, 0.3, 7.0, 11.9999, 12.0001, 123456.789])
@pytest.mark.parametrize("rest_s", [1.0, 4.0, 12.0])
def test_rests_end_at_moments_that_all_loops_share(monkeypatch: pytest.MonkeyPatch, now: float, rest_s: float) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: now)
    left_s = loops._until_all_look(rest_s)
    assert 0.01 < left_s <= rest_s + 0.01, "never twice at once, where a rest has ended a little too early"
    rounds = (now + left_s) / rest_s
    assert rounds == pytest.approx(round(rounds), abs=1e-6)
