"""Kinds of jobs that behave as the tests want. What each has done stands in a list of Redis, its result in the row."""

import os
import signal
import threading

from ngxlab.core.errors import Conflict
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Queue, job
from sqlalchemy import text


async def _note(task: Task, mark: str) -> None:
    await task.service.redis.rpush(f"test:{mark}", os.getpid())


async def _wait(task: Task, mark: str) -> None:
    await task.service.redis.blpop([f"test:{mark}:go"], 60)


@job("test-plain", Queue.now, limit_s=30)
async def plain(task: Task, mark: str) -> None:
    await _note(task, mark)
    task.result = {"mark": mark}


@job("test-gated", Queue.now, limit_s=60)
async def gated(task: Task, mark: str) -> None:
    """Works until it is told to end."""
    await _note(task, mark)
    await _wait(task, mark)
    task.result = {"pid": os.getpid()}


@job("test-gated-slow", Queue.slow, limit_s=60)
async def gated_slow(task: Task, mark: str) -> None:
    await gated.work(task, mark)


@job("test-hanging", Queue.now, limit_s=2)
async def hanging(task: Task, mark: str) -> None:
    """Keeps its process from everything, as a regular expression may."""
    await _note(task, mark)
    threading.Event().wait()


@job("test-deadly", Queue.now, limit_s=30)
async def deadly(task: Task, mark: str) -> None:
    """Kills its process the first time."""
    await _note(task, mark)
    if await task.service.redis.llen(f"test:{mark}") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    task.result = {"attempt": 2}


@job("test-failing", Queue.now, limit_s=30)
async def failing(task: Task, mark: str) -> None:
    await _note(task, mark)
    raise ValueError("no luck")


@job("test-refusing", Queue.now, limit_s=30)
async def refusing(task: Task, mark: str) -> None:
    await _note(task, mark)
    raise Conflict("Not like this.", code="not-like-this")


@job("test-robbed", Queue.now, limit_s=30)
async def robbed(task: Task, mark: str) -> None:
    """Loses its lease to another while it works."""
    await _note(task, mark)
    async with task.closing() as session:
        async with task.database.transaction() as other:
            await other.execute(text("UPDATE job SET owner = 'another' WHERE id = :id"), {"id": task.job_id})
        await session.execute(text("INSERT INTO discarded_trial (trial_id) VALUES (:id)"), {"id": task.job_id})
