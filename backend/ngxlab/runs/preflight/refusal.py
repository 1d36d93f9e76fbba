"""What hosts must have and allow before a run may start. A refusal gives the reason and the largest value that fits."""

from collections.abc import Sequence

from ngxlab_contracts.perturbations import WHOLE_HOST

from ngxlab.core.errors import Conflict
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.hosts import availability
from ngxlab.runs.preflight.assignment import Assigned, roles_of
from ngxlab.runs.preflight.capacity import refuse_beyond_capacity
from ngxlab.runs.preflight.engines import refuse_missing_engines
from ngxlab.runs.preflight.nginx_modules import refuse_missing_modules
from ngxlab.runs.preflight.placement import beyond


def refuse_if_impossible(definition: Definition, assigned: Sequence[Assigned]) -> None:
    """Raises Conflict naming the host and what it lacks (docs/checks.md, Decided before a run starts)."""
    arms = [resolve(definition, arm) for arm in definition.arms]
    for entry in assigned:
        _refuse_unfit(definition, entry)
        refuse_missing_modules(definition, entry)
        _refuse_beyond_caps(definition, entry, arms)
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


def _connections(definition: Definition, entry: Assigned, arm: ResolvedArm) -> int:
    """Connections that a slot's generators open in an arm."""
    slots = {stream.key: stream.slot for stream in definition.streams}
    return sum(stream.connections for stream in arm.streams if slots[stream.key] == entry.slot)


def _refuse_beyond_caps(definition: Definition, entry: Assigned, arms: Sequence[ResolvedArm]) -> None:
    caps, name = entry.inventory.caps, entry.host.name
    seconds = definition.trial_seconds()
    if caps.max_trial_s is not None and seconds > caps.max_trial_s:
        detail = f"A trial takes {seconds:g} s, but the owner of {name} allows at most {caps.max_trial_s:g} s."
        raise Conflict(detail, code="beyond-caps")
    most = max(_connections(definition, entry, arm) for arm in arms)
    if caps.max_connections is not None and most > caps.max_connections:
        detail = f"The load has {most} connections, but the owner of {name} allows at most {caps.max_connections}."
        raise Conflict(detail, code="beyond-caps")
    scripted = [s.key for s in definition.streams if s.script is not None and s.slot == entry.slot]
    if scripted and not caps.allow_scripts:
        detail = f"Stream {scripted[0]} has a Lua script, but the owner of {name} does not allow scripts there."
        raise Conflict(detail, code="scripts-not-allowed")
    pressing = next((p for p in definition.perturbations if p.slot == entry.slot and p.action.kind in WHOLE_HOST), None)
    if pressing is not None and not caps.allow_pressure:
        what = f"Perturbation {pressing.key} ({pressing.action.kind}) acts on the whole host"
        raise Conflict(f"{what}, but the owner of {name} does not allow that there.", code="pressure-not-allowed")
    size = sum(files.count * files.size_bytes for files in definition.nginx.files)
    if (
        "target" in roles_of(definition, entry.slot)
        and caps.max_files_bytes is not None
        and size > caps.max_files_bytes
    ):
        detail = f"The files take {size:,} bytes, but the owner of {name} allows at most {caps.max_files_bytes:,}."
        raise Conflict(detail, code="beyond-caps")


def _refuse_cpus(definition: Definition, assigned: Sequence[Assigned]) -> None:
    if isinstance(definition.placement, str):
        return
    for entry in assigned:
        cpus, wanted = entry.inventory.cpu.logical, definition.placement.get(entry.slot)
        if wanted is not None and beyond(wanted, cpus):
            detail = f"placement.{entry.slot} names CPUs {wanted}, but {entry.host.name} has CPUs 0 to {cpus - 1}."
            raise Conflict(detail, code="no-such-cpu")
