"""Definitions that people send, worked out apart from all else and within a person's quota."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import BaseModel

from ngxlab.accounts.access import Caller
from ngxlab.core.subprocess_pool.pool import ProcessPool
from ngxlab.core.throttle import Quota
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.experiments import preview_work


class PreviewProcess:
    """The processes for previews of one process of the backend."""

    def __init__(self) -> None:
        self.pool, self._quota = ProcessPool(preview_work.__name__), Quota()

    async def run(self, caller: Caller, job: str, request: BaseModel) -> str:
        """The job's result as JSON. Raises TooManyRequests, Invalid and what the job raises."""
        async with self._quota.turn(caller.account.id):
            return await self.pool.run(job, request.model_dump_json())

    async def definition(self, caller: Caller, raw: Mapping[str, Any]) -> Definition:
        """What is sound of ``raw``, with a template only if it is still that. Raises Invalid with all problems."""
        found = await self.run(
            caller, preview_work.read_definition.__name__, preview_work.DefinitionJob(definition=dict(raw))
        )
        return Definition.model_validate_json(found)

    async def built(self, caller: Caller, key: str, parameters: Mapping[str, LevelValue]) -> Definition:
        """What a template makes of these parameters. Raises NotFound, and Invalid with all problems."""
        job = preview_work.TemplateJob(key=key, parameters=dict(parameters))
        return Definition.model_validate_json(await self.run(caller, preview_work.build_template.__name__, job))


def _of_the_process(request: Request) -> PreviewProcess:
    previews: PreviewProcess = request.app.state.previews
    return previews


PreviewProcessDep = Annotated[PreviewProcess, Depends(_of_the_process)]
