"""No error of a round ends a loop of the backend; its age tells that it achieves nothing."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from ngxlab.core import loop as loops
from ngxlab.core.loop import Loop
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
