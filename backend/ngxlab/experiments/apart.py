"""Definitions that people send, worked out apart from all else and within a person's quota."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import BaseModel

from ngxlab.accounts.access import Caller
from ngxlab.core.apart.pool import ProcessPool
from ngxlab.core.apart.quota import Quota
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.experiments import jobs


class Apart:
    """Of one process of the backend."""

    def __init__(self) -> None:
        self.pool, self._quota = ProcessPool(jobs.__name__), Quota()

    async def run(self, caller: Caller, job: str, request: BaseModel) -> str:
        """The job's result as JSON. Raises TooManyRequests, Invalid and what the job raises."""
        async with self._quota.turn(caller.account.id):
            return await self.pool.run(job, request.model_dump_json())

    async def definition(self, caller: Caller, raw: Mapping[str, Any]) -> Definition:
        """What is sound of ``raw``, with a template only if it is still that. Raises Invalid with all problems."""
        found = await self.run(caller, jobs.read_definition.__name__, jobs.DefinitionJob(definition=dict(raw)))
        return Definition.model_validate_json(found)

    async def built(self, caller: Caller, key: str, parameters: Mapping[str, LevelValue]) -> Definition:
        """What a template makes of these parameters. Raises NotFound, and Invalid with all problems."""
        job = jobs.TemplateJob(key=key, parameters=dict(parameters))
        return Definition.model_validate_json(await self.run(caller, jobs.build_template.__name__, job))


def _of_the_process(request: Request) -> Apart:
    apart: Apart = request.app.state.apart
    return apart


ApartDep = Annotated[Apart, Depends(_of_the_process)]
