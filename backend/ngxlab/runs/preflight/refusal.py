"""What hosts must have and allow before a run may start. A refusal gives the reason and the largest value that fits."""

from collections.abc import Sequence

from ngxlab_contracts.engines import ENGINES

from ngxlab.core.errors import Conflict
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.definition.schema.streams import Stream
from ngxlab.hosts import availability
from ngxlab.runs.preflight.assignment import Assigned, roles_of
from ngxlab.runs.preflight.capacity import refuse_beyond_capacity
from ngxlab.runs.preflight.nginx_modules import refuse_missing_modules
from ngxlab.runs.preflight.owner import refuse_what_owners_forbid
from ngxlab.runs.preflight.placement import beyond


def refuse_if_impossible(definition: Definition, assigned: Sequence[Assigned]) -> None:
    """Raises Conflict naming the host and what it lacks (docs/checks.md, Decided before a run starts)."""
    arms = [resolve(definition, arm) for arm in definition.arms]
    for entry in assigned:
        _refuse_unfit(definition, entry)
        refuse_missing_modules(definition, entry)
    refuse_what_owners_forbid(definition, assigned, arms)
    refuse_beyond_capacity(definition, assigned, arms)
    _refuse_cpus(definition, assigned)


def _refuse_unfit(definition: Definition, entry: Assigned) -> None:
    host, inventory, roles = entry.host, entry.inventory, roles_of(definition, entry.slot)
    if trouble := availability.trouble(host):
        code = "host-conflict" if host.conflict else "protocol-skew"
        raise Conflict(f"{host.name} {trouble}.", code=code)
    if host.draining:
        raise Conflict(f"{host.name} is draining and accepts no new run.", code="host-draining")
    if roles & {"target", "upstream"} and not inventory.nginx:
        raise Conflict(f"{host.name} has no nginx. Install it there; the agent detects it.", code="no-nginx")
    refuse_missing_engines(definition, entry)
    _refuse_unthrottled(definition, entry)
    for role in sorted(roles - set(inventory.caps.roles)):
        raise Conflict(f"The owner of {host.name} does not allow it the role {role}.", code="role-not-allowed")


def _refuse_unthrottled(definition: Definition, entry: Assigned) -> None:
    cold = definition.nginx.cold_files
    if cold is None or cold.method != "throttle" or entry.slot != TARGET_SLOT:
        return
    capability = next((one for one in entry.inventory.capabilities if one.name == "throttled-disk"), None)
    if capability is None or not capability.available:
        reason = capability.detail if capability is not None else "its agent is too old to have this capability"
        detail = f"{entry.host.name} cannot read files from a throttled disk: {reason}. Use the method evict instead."
        raise Conflict(detail, code="no-throttled-disk")


def _refuse_cpus(definition: Definition, assigned: Sequence[Assigned]) -> None:
    if isinstance(definition.placement, str):
        return
    for entry in assigned:
        cpus, wanted = entry.inventory.cpu.logical, definition.placement.get(entry.slot)
        if wanted is not None and beyond(wanted, cpus):
            detail = f"placement.{entry.slot} names CPUs {wanted}, but {entry.host.name} has CPUs 0 to {cpus - 1}."
            raise Conflict(detail, code="no-such-cpu")


def refuse_missing_engines(definition: Definition, entry: Assigned) -> None:
    """Raises Conflict naming the host, the stream and how to fix it."""
    for stream in definition.streams:
        if stream.slot != entry.slot:
            continue
        engine = ENGINES[stream.engine]
        if engine.program is not None:
            _require_program(entry, engine.program)
        if engine.capability is not None:
            _require_capability(entry, stream, engine.capability)


def _require_program(entry: Assigned, name: str) -> None:
    if name not in entry.inventory.engine_programs:
        raise Conflict(f"{entry.host.name} has no {name}. Install it there; the agent detects it.", code=f"no-{name}")


def _require_capability(entry: Assigned, stream: Stream, name: str) -> None:
    capability = next((one for one in entry.inventory.capabilities if one.name == name), None)
    if capability is None or not capability.available:
        reason = capability.detail if capability is not None else "its agent is too old to have it"
        detail = f"Stream {stream.key} needs the engine {stream.engine}, which {entry.host.name} cannot run: {reason}."
        raise Conflict(detail, code=f"no-{name}")
