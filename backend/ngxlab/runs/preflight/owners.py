"""What the owner of a host allows in its caps.toml."""

from collections.abc import Iterator, Sequence
from ipaddress import ip_address, ip_network

from ngxlab_contracts.hosts import Capability, Inventory
from ngxlab_contracts.perturbations import WHOLE_HOST, HttpCall
from ngxlab_contracts.sentences import say
from ngxlab_contracts.trials import UPSTREAM_VARIABLE_PREFIX
from ngxlab_policy.document import directives_of_code, loaded_modules, named_files
from ngxlab_policy.owner import Leave

from ngxlab.core.errors import Conflict
from ngxlab.definition.nginx.config import render_fragments
from ngxlab.definition.resolve import ResolvedArm
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.hosts import availability
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
        raise Conflict(
            "A trial takes {seconds:g} s, but the owner of {host} allows at most {most:g} s.",
            seconds=seconds,
            host=entry.host.name,
            most=most,
            code="beyond-caps",
        )


def _refuse_much_load(definition: Definition, entry: Assigned, arms: Sequence[ResolvedArm]) -> None:
    caps, name = entry.inventory.caps, entry.host.name
    slots = {stream.key: stream.slot for stream in definition.streams}
    loads = [[stream for stream in arm.streams if slots[stream.key] == entry.slot] for arm in arms]
    most = max(sum(stream.connections for stream in load) for load in loads)
    if caps.max_connections is not None and most > caps.max_connections:
        raise Conflict(
            "The load has {most} connections, but the owner of {name} allows at most {most_allowed}.",
            most=most,
            name=name,
            most_allowed=caps.max_connections,
            code="beyond-caps",
        )
    rate = max(sum(stream.planned_rate_per_s for stream in load) for load in loads)
    if caps.max_rate_per_s is not None and rate > caps.max_rate_per_s:
        raise Conflict(
            "The load has a planned rate of {rate:g} a second, but the owner of {name} allows at most {most:g}.",
            rate=rate,
            name=name,
            most=caps.max_rate_per_s,
            code="beyond-caps",
        )


def _refuse_scripts(definition: Definition, entry: Assigned) -> None:
    key = next((s.key for s in definition.streams if s.script is not None and s.slot == entry.slot), None)
    if key is None:
        return
    name = entry.host.name
    if not entry.inventory.caps.allow_scripts:
        raise Conflict(
            "Stream {key} has a Lua script, but the owner of {name} does not allow scripts there.",
            key=key,
            name=name,
            code="scripts-not-allowed",
        )
    for capability in filter(None, (entry.capability("isolation"), entry.capability("script-fence"))):
        if not capability.available:
            raise Conflict(
                "Stream {key} has a Lua script, which {name} cannot contain: {reason}.",
                key=key,
                name=name,
                reason=capability.detail,
                code="scripts-uncontained",
            )


def _refuse_pressure(definition: Definition, entry: Assigned) -> None:
    pressing = next((p for p in definition.perturbations if p.slot == entry.slot and p.action.kind in WHOLE_HOST), None)
    if pressing is not None and not entry.inventory.caps.allow_pressure:
        what = say("Perturbation {key} ({kind}) acts on the whole host", key=pressing.key, kind=pressing.action.kind)
        raise Conflict(
            "{what}, but the owner of {host} does not allow that there.",
            what=what,
            host=entry.host.name,
            code="pressure-not-allowed",
        )


def _refuse_files(definition: Definition, entry: Assigned) -> None:
    size, most = sum(one.total_bytes for one in definition.nginx.files), entry.inventory.caps.max_files_bytes
    if "target" in roles_of(definition, entry.slot) and most is not None and size > most:
        raise Conflict(
            "The files take {size:,} bytes, but the owner of {host} allows at most {most:,}.",
            size=size,
            host=entry.host.name,
            most=most,
            code="beyond-caps",
        )


def _refuse_unsandboxed(definition: Definition, entry: Assigned) -> None:
    runs_nginx = roles_of(definition, entry.slot) & {"target", "upstream"}
    isolation = entry.capability("isolation")
    if not runs_nginx or isolation is None or isolation.available or entry.inventory.caps.allow_unsandboxed_nginx:
        return
    raise availability.unsandboxed(entry.host.name, isolation.detail)


def _refuse_modules(definition: Definition, entry: Assigned, arms: Sequence[ResolvedArm]) -> None:
    if entry.slot != TARGET_SLOT:
        return
    allowed, name = entry.inventory.caps.nginx_modules, entry.host.name
    permitted = entry.inventory.caps.allow_directives
    leave = Leave(tuple(permitted))
    beyond = next((one for one in definition.nginx.allow_directives.split() if not leave.covers(one)), None)
    if beyond is not None:
        raise Conflict(
            "The experiment needs the directive {beyond}, which the owner of {name} does not allow. "
            "Allowed: {permitted} (allow_directives in caps.toml there).",
            beyond=beyond,
            name=name,
            permitted=", ".join(permitted) or "none",
            code="directive-not-allowed",
        )
    for arm in arms:
        fragments = render_fragments(definition, arm.variables)
        _refuse_code(entry, arm, [fragment.text for fragment in fragments.values()])
        main = fragments["main"].text
        foreign = next((path for path in loaded_modules(main) if path not in allowed), None)
        if foreign is not None:
            raise Conflict(
                "{arm}: nginx.main loads {foreign}, which the owner of {name} does not allow. Allowed: "
                "{allowed} (nginx_modules in caps.toml there).",
                arm=arm.arm.label,
                foreign=foreign,
                name=name,
                allowed=", ".join(allowed) or "none",
                code="module-not-allowed",
            )


def _refuse_code(entry: Assigned, arm: ResolvedArm, texts: Sequence[str]) -> None:
    """Code is in files that the owner names, or below folders of that kind."""
    files = entry.inventory.caps.code_files
    asked = [path for text in texts for path in named_files(text)]
    if names := [name for text in texts for name in directives_of_code(text)]:
        _refuse_unwalled(entry, arm, ", ".join(sorted(set(names))))
    foreign = next(
        (path for path in asked if not any(path == one or path.startswith(f"{one}/") for one in files)), None
    )
    if foreign is not None:
        raise Conflict(
            "{arm}: its configuration names {foreign}, which the owner of {name} does not allow. Allowed: {allowed} "
            "(code_files in caps.toml there).",
            arm=arm.arm.label,
            foreign=foreign,
            name=entry.host.name,
            allowed=", ".join(files) or "none",
            code="code-not-allowed",
        )


def _refuse_unwalled(entry: Assigned, arm: ResolvedArm, names: str) -> None:
    wall = missing_wall(entry.inventory, stays=ip_address(entry.address).is_loopback)
    if wall is not None and not entry.inventory.caps.allow_unsandboxed_code:
        raise Conflict(
            "{arm}: the code of {names} would run without a wall, and the owner of {host} does not allow that. "
            "({reason}; allow_unsandboxed_code in caps.toml there)",
            arm=arm.arm.label,
            names=names,
            host=entry.host.name,
            reason=wall.detail,
            code="unwalled-code",
        )


def missing_wall(inventory: Inventory, *, stays: bool) -> Capability | None:
    """What a host cannot do that would keep code to its trial; ``stays``: the trial stays on its loopback interface."""
    known = {one.name: one for one in inventory.capabilities}
    isolation, network = known.get("isolation"), [known.get("own-network")] if stays else []
    if isolation is not None and not isolation.available:
        return isolation
    fences = [one for one in (*network, known.get("script-fence")) if one is not None]
    return None if not fences or any(one.available for one in fences) else fences[0]


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
        raise Conflict(
            "{host} would send load to {text}, but its owner allows {networks} only: allow_targets in caps.toml.",
            host=entry.host.name,
            text=text,
            networks=networks,
            code="target-not-allowed",
        )
