"""Pages wait for jobs a bounded time, without a connection to the database, and then say what they wait for."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core import errors
from ngxlab.core.bus import Messages
from ngxlab.core.database import database_of, settle
from ngxlab.core.errors import ApiError, Unavailable
from ngxlab.core.jobs import repository
from ngxlab.core.jobs.repository import Job, JobState

PATIENCE_S = 8.0
"""Long enough for nearly every report, and shorter than what browsers and proxies wait."""


class StillWorking(Unavailable):
    """The answer is being worked out. Who asks again finds what is done by then."""

    code = "still-working"

    def __init__(self, detail: str, *, code: str | None = None, retry_after_s: int = 1) -> None:
        super().__init__(detail, code=code)
        self.headers = {"Retry-After": str(retry_after_s)}


async def ended(session: AsyncSession, job_ids: Sequence[UUID], within_s: float = PATIENCE_S) -> Mapping[UUID, Job]:
    """The jobs when all of them are over. Commits what the session has done so far, the asking for them included.

    Raises StillWorking where they take longer, and what a job has raised for whoever waits.
    """
    await settle(session)
    database = database_of(session)
    deadline = asyncio.get_running_loop().time() + within_s
    with ExitStack() as stack:
        queues = [stack.enter_context(database.bus.listen(job_id)) for job_id in job_ids]
        while True:
            jobs = {job.id: job for job in await repository.found(session, job_ids)}
            going_on = [job for job in jobs.values() if job.state in {JobState.queued, JobState.running}]
            if not going_on:
                break
            if deadline <= asyncio.get_running_loop().time():
                raise await _why(session)
            await session.commit()  # which lets the connection go
            await _message(queues, min(database.bus.patience_s, deadline - asyncio.get_running_loop().time()))
    for job in jobs.values():
        if job.state == JobState.failed:
            raise _raised(job)
    return jobs


async def _why(session: AsyncSession) -> StillWorking:
    if await repository.is_any_present(session):
        return StillWorking("This is still being worked out. Ask again in a moment.")
    return StillWorking(
        "This waits for the jobs service, which does not run. It is worked out as soon as that is back.",
        code="waits-for-jobs",
        retry_after_s=5,
    )


def _raised(job: Job) -> ApiError:
    told = job.result or {}
    if (kind := getattr(errors, told.get("error", ""), None)) is not None:
        error: ApiError = kind(job.error or "", code=told["code"])
        return error
    return Unavailable("This could not be worked out; the log of the jobs service says why.", code="job-failed")


async def _message(queues: Sequence[Messages], seconds: float) -> None:
    """Wait for a word of any of the jobs; it may have been lost."""
    waiting = [asyncio.ensure_future(queue.get()) for queue in queues]
    try:
        await asyncio.wait(waiting, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waiting:
            one.cancel()
