"""Previews and imported documents, worked out apart from all else and within a person's quota."""

from typing import Annotated

from fastapi import Depends, Request
from pydantic import BaseModel

from ngxlab.accounts.access import Caller
from ngxlab.core.apart.pool import ProcessPool
from ngxlab.core.apart.quota import Quota

JOBS = "ngxlab.experiments.jobs"


class Previews:
    """Of one process of the backend."""

    def __init__(self) -> None:
        self.pool, self._quota = ProcessPool(JOBS), Quota()

    async def run(self, caller: Caller, job: str, request: BaseModel) -> str:
        """The job's result as JSON. Raises TooManyRequests, Invalid and what the job raises."""
        async with self._quota.turn(caller.account.id):
            return await self.pool.run(job, request.model_dump_json())


def _of_the_process(request: Request) -> Previews:
    previews: Previews = request.app.state.previews
    return previews


PreviewsDep = Annotated[Previews, Depends(_of_the_process)]
