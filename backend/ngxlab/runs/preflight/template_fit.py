"""Check chosen hosts against a template's needs and against what every run needs."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.errors import Conflict
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.runs.preflight.assignment import Assigned, assign
from ngxlab.runs.preflight.refusal import refuse_if_impossible
from ngxlab.runs.schemas import FitRequest, RunCreate, TemplateFit
from ngxlab.templates.base import Template
from ngxlab.templates.needs import NeedResult, NginxModule

COUNTERS = NginxModule(
    module="http_stub_status_module",
    why="nginx's own count of requests and connections confirms the generators' counts.",
    remedy="Register an nginx built --with-http_stub_status_module, or do without: the report says what is missing.",
    must=False,
)


async def fit(session: AsyncSession, template: Template, definition: Definition, request: FitRequest) -> TemplateFit:
    """``definition`` is what the template makes of the request's parameters.

    Raises Invalid for slots without a host, NotFound for a host that is not registered.
    """
    values = template.complete(request.parameters)
    assigned = await assign(session, definition, RunCreate(**request.model_dump(exclude={"parameters"})))
    inventories = {entry.slot: entry.inventory for entry in assigned}
    names = {entry.slot: entry.host.name for entry in assigned}
    needs = [need.check(inventories, names[need.slot]) for need in template.needs(values)]
    needs = [*needs, COUNTERS.check(inventories, names[TARGET_SLOT]), _startable(definition, assigned)]
    return TemplateFit(fits=all(need.ok for need in needs if need.must), needs=needs)


def _startable(definition: Definition, assigned: Sequence[Assigned]) -> NeedResult:
    """Whether a run with these hosts would be refused, and why."""
    refusal = None
    try:
        refuse_if_impossible(definition, assigned)
    except Conflict as error:
        refusal = error.detail
    return NeedResult(
        slot=TARGET_SLOT,
        what="limits and permissions that allow this load",
        why="A run is refused before it starts if it exceeds a host's limits or what its owner allows.",
        must=True,
        host=", ".join(dict.fromkeys(entry.host.name for entry in assigned)),
        ok=refusal is None,
        detail=refusal or "the load is within all limits",
        remedy="Change the form or choose another host." if refusal else None,
    )
