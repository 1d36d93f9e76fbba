"""What the owner of a chosen host allows. The host's agent refuses the same again, whatever the backend says."""

from collections.abc import Iterator, Sequence
from ipaddress import ip_address, ip_network

from ngxlab_contracts.hosts import Capability
from ngxlab_contracts.perturbations import WHOLE_HOST, HttpCall
from ngxlab_contracts.trials import UPSTREAM_VARIABLE_PREFIX
from ngxlab_policy.document import loaded_modules

from ngxlab.core.errors import Conflict
from ngxlab.definition.nginx.config import render_fragments
from ngxlab.definition.resolve import ResolvedArm
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.runs.preflight.assignment import Assigned, roles_of


def refuse_what_owners_forbid(
    definition: Definition, assigned: Sequence[Assigned], arms: Sequence[ResolvedArm]
) -> None:
    """Raises Conflict naming the host and what its owner does not allow."""
    for entry in assigned:
        _refuse_long_trial(definition, entry)
        _refuse_much_load(definition, entry, arms)
        _refuse_scripts(definition, entry)
        _refuse_pressure(definition, entry)
        _refuse_files(definition, entry)
        _refuse_unsandboxed(definition, entry)
        _refuse_modules(definition, entry, arms)
        for address in _destinations(definition, entry, assigned):
            _refuse_elsewhere(entry, address)


def _refuse_long_trial(definition: Definition, entry: Assigned) -> None:
    seconds, most = definition.trial_seconds(), entry.inventory.caps.max_trial_s
    if most is not None and seconds > most:
        detail = f"A trial takes {seconds:g} s, but the owner of {entry.host.name} allows at most {most:g} s."
        raise Conflict(detail, code="beyond-caps")


def _refuse_much_load(definition: Definition, entry: Assigned, arms: Sequence[ResolvedArm]) -> None:
    caps, name = entry.inventory.caps, entry.host.name
    slots = {stream.key: stream.slot for stream in definition.streams}
    loads = [[stream for stream in arm.streams if slots[stream.key] == entry.slot] for arm in arms]
    most = max(sum(stream.connections for stream in load) for load in loads)
    if caps.max_connections is not None and most > caps.max_connections:
        detail = f"The load has {most} connections, but the owner of {name} allows at most {caps.max_connections}."
        raise Conflict(detail, code="beyond-caps")
    rate = max(sum(stream.planned_rate_per_s for stream in load) for load in loads)
    if caps.max_rate_per_s is not None and rate > caps.max_rate_per_s:
        detail = (
            f"The load has a planned rate of {rate:g} a second, but the owner of {name} allows at most "
            f"{caps.max_rate_per_s:g}."
        )
        raise Conflict(detail, code="beyond-caps")


def _refuse_scripts(definition: Definition, entry: Assigned) -> None:
    key = next((s.key for s in definition.streams if s.script is not None and s.slot == entry.slot), None)
    if key is None:
        return
    name = entry.host.name
    if not entry.inventory.caps.allow_scripts:
        detail = f"Stream {key} has a Lua script, but the owner of {name} does not allow scripts there."
        raise Conflict(detail, code="scripts-not-allowed")
    for capability in filter(None, (_capability(entry, "isolation"), _capability(entry, "script-fence"))):
        if not capability.available:
            detail = f"Stream {key} has a Lua script, which {name} cannot contain: {capability.detail}."
            raise Conflict(detail, code="scripts-uncontained")


def _refuse_pressure(definition: Definition, entry: Assigned) -> None:
    pressing = next((p for p in definition.perturbations if p.slot == entry.slot and p.action.kind in WHOLE_HOST), None)
    if pressing is not None and not entry.inventory.caps.allow_pressure:
        what = f"Perturbation {pressing.key} ({pressing.action.kind}) acts on the whole host"
        detail = f"{what}, but the owner of {entry.host.name} does not allow that there."
        raise Conflict(detail, code="pressure-not-allowed")


def _refuse_files(definition: Definition, entry: Assigned) -> None:
    size, most = sum(one.total_bytes for one in definition.nginx.files), entry.inventory.caps.max_files_bytes
    if "target" in roles_of(definition, entry.slot) and most is not None and size > most:
        detail = f"The files take {size:,} bytes, but the owner of {entry.host.name} allows at most {most:,}."
        raise Conflict(detail, code="beyond-caps")


def _refuse_unsandboxed(definition: Definition, entry: Assigned) -> None:
    runs_nginx = roles_of(definition, entry.slot) & {"target", "upstream"}
    isolation = _capability(entry, "isolation")
    if not runs_nginx or isolation is None or isolation.available or entry.inventory.caps.allow_unsandboxed_nginx:
        return
    detail = f"{entry.host.name} cannot isolate nginx by namespaces, and its owner does not allow it without."
    raise Conflict(f"{detail} ({isolation.detail}; allow_unsandboxed_nginx in caps.toml)", code="unsandboxed")


def _refuse_modules(definition: Definition, entry: Assigned, arms: Sequence[ResolvedArm]) -> None:
    if entry.slot != TARGET_SLOT:
        return
    allowed, name = entry.inventory.caps.nginx_modules, entry.host.name
    for arm in arms:
        main = render_fragments(definition, arm.variables)["main"].text
        foreign = next((path for path in loaded_modules(main) if path not in allowed), None)
        if foreign is not None:
            detail = (
                f"{arm.arm.label}: nginx.main loads {foreign}, which the owner of {name} does not allow. Allowed: "
                f"{', '.join(allowed) or 'none'} (nginx_modules in caps.toml there)."
            )
            raise Conflict(detail, code="module-not-allowed")


def _destinations(definition: Definition, entry: Assigned, assigned: Sequence[Assigned]) -> Iterator[str]:
    """Addresses that something of the slot connects to."""
    at = {one.slot: one.address for one in assigned}
    endpoints = {f"{UPSTREAM_VARIABLE_PREFIX}{one.key}": at[one.slot] for one in definition.upstream_servers}
    roles = roles_of(definition, entry.slot)
    if "generator" in roles:
        yield at[TARGET_SLOT]
    if "target" in roles:
        yield from endpoints.values()
    for one in definition.perturbations:
        if one.slot == entry.slot and isinstance(one.action, HttpCall):
            yield {TARGET_SLOT: at[TARGET_SLOT], **endpoints}[one.action.endpoint]


def _refuse_elsewhere(entry: Assigned, text: str) -> None:
    allowed, address = entry.inventory.caps.allow_targets, ip_address(text)
    own = {known.partition("%")[0].partition("/")[0] for nic in entry.inventory.nics for known in nic.addresses}
    if allowed is None or address.is_loopback or str(address) in own:
        return  # an agent that names no networks decides for itself
    if not any(address in ip_network(network) for network in allowed):
        networks = ", ".join(allowed) or "no other host"
        detail = (
            f"{entry.host.name} would send load to {text}, but its owner allows {networks} only: allow_targets in "
            "caps.toml."
        )
        raise Conflict(detail, code="target-not-allowed")


def _capability(entry: Assigned, name: str) -> Capability | None:
    return next((one for one in entry.inventory.capabilities if one.name == name), None)
