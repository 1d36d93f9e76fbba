"""What hosts must have and allow before a run may start. A refusal gives the reason and the largest value that fits."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_address, ip_network
from itertools import product

from ngxlab_contracts.engines import CAPABILITY_FOR, ENGINES
from ngxlab_contracts.hosts import NginxBinary
from ngxlab_contracts.perturbations import WHOLE_HOST, HttpCall
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.trials import UPSTREAM_VARIABLE_PREFIX, DynamicModule
from ngxlab_policy.document import loaded_modules
from ngxlab_policy.owner import Leave

from ngxlab.core.errors import Conflict
from ngxlab.definition.nginx.config import nginx_modules, render_fragments, upstream_server_modules
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.definition.schema.streams import Stream
from ngxlab.hosts import availability
from ngxlab.runs.preflight.assignment import Assigned, beyond, roles_of

_RESERVED_DESCRIPTORS = 64
"""Descriptors that a generator and nginx need beside connections: libraries, logs, epoll, listeners, channels."""
_USABLE_SHARE = 0.9
_USABLE_PORTS = 0.5
_CONNTRACK_SHARE = 0.8
_MEMORY_SHARE = 0.8
_BYTES_AN_END = 5_000
"""Kernel memory of one end of a connection: 8.1 KB were measured for both; nginx and the holder need under 1.5 KB."""
_FREE_SHARE = 16
"""nginx closes idle connections once less than a sixteenth of worker_connections is free."""


def refuse_beyond_capacity(definition: Definition, assigned: Sequence[Assigned], arms: Sequence[ResolvedArm]) -> None:
    """Raises Conflict for the first limit that an arm exceeds (docs/checks.md, Decided before a run starts)."""
    target = next(entry for entry in assigned if entry.slot == TARGET_SLOT)
    for arm in arms:
        for entry in assigned:
            _refuse_beyond_descriptors(entry, _streams(definition, entry, arm))
            _refuse_beyond_ports(entry, arm, _streams(definition, entry, arm))
        _refuse_few_worker_connections(arm)
        _refuse_beyond_worker_descriptors(target, arm)
        for host in {entry.host.id: entry for entry in assigned}.values():
            ends = _ends(definition, assigned, host, arm)
            _refuse_beyond_conntrack(host, max(ends))
            _refuse_beyond_memory(host, sum(ends))


def _streams(definition: Definition, entry: Assigned, arm: ResolvedArm) -> list[StreamSpec]:
    """The streams that a slot generates in an arm."""
    slots = {stream.key: stream.slot for stream in definition.streams}
    return [stream for stream in arm.streams if slots[stream.key] == entry.slot]


def _refuse_beyond_descriptors(entry: Assigned, streams: Sequence[StreamSpec]) -> None:
    """Looks at each stream with a number of processes; an engine that decides for itself takes as many as it needs."""
    limit = _limit(entry, "nofile_hard")
    if limit is None:
        return  # unlimited, or unknown: then the agent hits the limit and reports it
    fits = int(limit * _USABLE_SHARE) - _RESERVED_DESCRIPTORS
    for stream in streams:
        processes = ENGINES[stream.engine].processes(stream.threads)
        if processes is not None and stream.connections > fits * processes:
            raise Conflict(
                f"Stream {stream.key}: {stream.connections} connections need more than 90 % of the {limit} file "
                f"descriptors that a process on {entry.host.name} may open. "
                f"At most {fits * processes} connections fit.",
                code="too-many-connections",
            )


def _refuse_beyond_ports(entry: Assigned, arm: ResolvedArm, streams: Sequence[StreamSpec]) -> None:
    """A connection is told from others by both addresses and both ports. An engine uses one address of its host, or
    all; on loopback there is any number."""
    ports = _port_range(entry)
    if ports is None:
        return
    usable = int(ports * _USABLE_PORTS)
    plain = sum(stream.connections for stream in streams if not ENGINES[stream.engine].uses_all_addresses)
    idle = sum(stream.connections for stream in streams if ENGINES[stream.engine].uses_all_addresses)
    if plain > usable:
        raise Conflict(
            f"{plain} connections need more than half of the {ports} local ports of {entry.host.name}. "
            f"At most {usable} connections fit.",
            code="too-many-connections",
        )
    own = _addresses(entry)
    room = usable * own * int(arm.nginx.ports)
    if idle > room and not ip_address(entry.address).is_loopback:
        raise Conflict(
            f"{idle} idle connections need more than half of the {ports} local ports of {entry.host.name}, from {own} "
            f"address{'es' if own > 1 else ''} to {arm.nginx.ports} port{'s' if int(arm.nginx.ports) > 1 else ''}. At "
            f"most {room} connections fit. Let nginx listen on more ports (nginx.ports), or give the host more "
            "addresses.",
            code="too-many-connections",
        )


def _refuse_few_worker_connections(arm: ResolvedArm) -> None:
    reachable = arm.worker_connections * (_FREE_SHARE - 1) // _FREE_SHARE
    needed = _nginx_connections(arm)
    if needed > reachable * arm.workers:
        counted = " (each has another one to an upstream server)" if _proxies(arm) else ""
        raise Conflict(
            f"{arm.arm.label}: with worker_connections {arm.worker_connections}, nginx closes idle connections "
            f"beyond {reachable} per worker, and the load needs {needed}{counted}. Raise worker_connections.",
            code="too-few-worker-connections",
        )


def _proxies(arm: ResolvedArm) -> bool:
    return bool(arm.upstream_servers)


def _nginx_connections(arm: ResolvedArm) -> int:
    """The most that nginx may have open: those of the clients, and where it proxies, one more for each of them."""
    clients = sum(stream.connections for stream in arm.streams)
    return 2 * clients if _proxies(arm) else clients


def _refuse_beyond_worker_descriptors(target: Assigned, arm: ResolvedArm) -> None:
    limit = _limit(target, "nofile_hard")
    connections = _nginx_connections(arm)
    if limit is None:
        return
    if arm.worker_connections > limit:
        raise Conflict(
            f"{arm.arm.label}: worker_connections {arm.worker_connections} is more than the {limit} file descriptors "
            f"that a process on {target.host.name} may open. Set at most {limit}, and use more workers if necessary.",
            code="too-many-worker-connections",
        )
    fits = int(limit * _USABLE_SHARE) - _RESERVED_DESCRIPTORS
    if connections > fits * arm.workers:
        raise Conflict(
            f"{arm.arm.label}: {connections} connections over {arm.workers} workers need more than 90 % of the {limit} "
            f"file descriptors that a process on {target.host.name} may open. Set workers to at least "
            f"{math.ceil(connections / max(1, fits))}.",
            code="too-few-workers",
        )


def _ends(definition: Definition, assigned: Sequence[Assigned], host: Assigned, arm: ResolvedArm) -> tuple[int, int]:
    """Numbers of ends of the load's connections on a host: at its nginx, and at its generators."""
    here = [entry for entry in assigned if entry.host.id == host.host.id]
    every = sum(stream.connections for stream in arm.streams)
    at_nginx = every if any(entry.slot == TARGET_SLOT for entry in here) else 0
    own = (stream for entry in here for stream in _streams(definition, entry, arm))
    return at_nginx, sum(stream.connections for stream in own)


def _refuse_beyond_conntrack(host: Assigned, connections: int) -> None:
    limit = _limit(host, "nf_conntrack_max")
    if limit is not None and connections > limit * _CONNTRACK_SHARE:
        raise Conflict(
            f"{connections} connections need more than 80 % of the {limit} entries of the connection-tracking table of "
            f"{host.host.name}. At most {int(limit * _CONNTRACK_SHARE)} connections fit; or set "
            f"net.netfilter.nf_conntrack_max to at least {math.ceil(connections / _CONNTRACK_SHARE)} there.",
            code="conntrack-too-small",
        )


def _refuse_beyond_memory(host: Assigned, ends: int) -> None:
    room = host.inventory.memory_bytes * _MEMORY_SHARE
    if ends * _BYTES_AN_END > room:
        raise Conflict(
            f"{ends} ends of connections need about {ends * _BYTES_AN_END >> 20:,} MiB, more than 80 % of the memory "
            f"of {host.host.name}. At most {int(room / _BYTES_AN_END)} ends fit; a connection within one host has two.",
            code="too-little-memory",
        )


def _addresses(entry: Assigned) -> int:
    """The number of addresses that a generator can connect from: those of the interface that has the slot's address."""
    for nic in entry.inventory.nics:
        if entry.address in nic.addresses:
            version = ip_address(entry.address).version
            return len(list(_of_version(nic.addresses, version)))
    return 1


def _of_version(addresses: Sequence[str], version: int) -> Iterator[str]:
    for text in addresses:
        address = ip_address(text.partition("%")[0].partition("/")[0])
        if address.version == version and not address.is_link_local:
            yield text


def _limit(entry: Assigned, name: str) -> int | None:
    """``None``: unlimited or unknown."""
    text = entry.inventory.limits.get(name, "")
    return int(text) if text.isdigit() else None


def _port_range(entry: Assigned) -> int | None:
    words = entry.inventory.limits.get("ip_local_port_range", "").replace("-", " ").split()
    if len(words) != 2 or not all(word.isdigit() for word in words):
        return None
    return int(words[1]) - int(words[0]) + 1


def refuse_if_impossible(definition: Definition, assigned: Sequence[Assigned]) -> None:
    """Raises Conflict naming the host and what it lacks (docs/checks.md, Decided before a run starts)."""
    arms = [resolve(definition, arm) for arm in definition.arms]
    for entry in assigned:
        _refuse_unfit(definition, entry)
        refuse_missing_modules(definition, entry)
        refuse_unspoken_versions(definition, entry, arms)
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
    capability = entry.capability("throttled-disk")
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
        if engine.program is not None and engine.program not in entry.inventory.engine_programs:
            detail = f"{entry.host.name} has no {engine.program}. Install it there; the agent detects it."
            raise Conflict(detail, code=f"no-{engine.program}")
        if engine.capability is not None:
            _require_capability(entry, stream, engine.capability)


def refuse_unspoken_versions(definition: Definition, entry: Assigned, arms: Sequence[ResolvedArm]) -> None:
    """Raises Conflict naming the host, the stream and what is missing to speak its version of HTTP."""
    own = {stream.key for stream in definition.streams if stream.slot == entry.slot}
    spoken = {(stream.key, stream.protocol) for arm in arms for stream in arm.streams if stream.key in own}
    for stream, version in sorted(spoken):
        name = CAPABILITY_FOR.get(version)
        capability = entry.capability(name) if name is not None else None
        if name is not None and (capability is None or not capability.available):
            reason = capability.detail if capability is not None else "its agent is too old for it"
            detail = f"Stream {stream} speaks {version.upper()}, which {entry.host.name} cannot: {reason}."
            raise Conflict(detail, code=f"no-{name}")


def _require_capability(entry: Assigned, stream: Stream, name: str) -> None:
    capability = entry.capability(name)
    if capability is None or not capability.available:
        reason = capability.detail if capability is not None else "its agent is too old to have it"
        detail = f"Stream {stream.key} needs the engine {stream.engine}, which {entry.host.name} cannot run: {reason}."
        raise Conflict(detail, code=f"no-{name}")


_WITH: dict[DynamicModule, tuple[str, ...]] = {"http_lua_module": ("ndk_http_module", "http_lua_module")}
_BUILT_IN: dict[DynamicModule, str] = {
    "http_lua_module": r"--with-http_lua_module|--add-module=(.*/)?(ngx_http_lua|lua-nginx-module|ngx_lua)[^/]*/?"
}
"""The arguments of ``configure`` that compile the module in; it then needs no other."""
_PACKAGES: dict[DynamicModule, str] = {"http_lua_module": "libnginx-mod-http-lua"}

_CHECKS_BY_DEFAULT = r"Tengine/(1|2\.[0-2])\."
"""Versions whose ``configure`` compiles health checks in unless told not to (``auto/options``)."""


def refuse_missing_modules(definition: Definition, entry: Assigned) -> None:
    """Raises Conflict naming what to install or to register, for any nginx that runs in the slot."""
    if entry.slot == TARGET_SLOT:
        tested = [entry.nginx(build) for build in dict.fromkeys(map(definition.build, definition.arms))]
        _refuse_missing(entry, tested, [(module, "nginx.upstreams") for module in nginx_modules(definition.nginx)])
        _refuse_other_than_tengine(definition, entry, tested)
    own = [upstream for upstream in definition.upstream_servers if upstream.slot == entry.slot]
    for upstream in own:
        needed = [(module, f"upstream server {upstream.key}") for module in upstream_server_modules(upstream)]
        _refuse_missing(entry, [entry.nginx(None)], needed)


def _refuse_missing(
    entry: Assigned, binaries: Iterable[NginxBinary | None], needed: Iterable[tuple[DynamicModule, str]]
) -> None:
    for (module, needed_by), binary in product(needed, binaries):
        if binary is not None and not _has(binary, module):
            detail = (
                f"{binary.path} on {entry.host.name} has no {module}, which {needed_by} needs. "
                f"Install {_PACKAGES[module]} there; the agent detects it."
            )
            raise Conflict(detail, code="no-nginx-module")


def _refuse_other_than_tengine(definition: Definition, entry: Assigned, binaries: Iterable[NginxBinary | None]) -> None:
    upstreams = definition.nginx.upstreams
    if upstreams is None or upstreams.through != "tengine":
        return
    checked = bool(upstreams.health_check or any(group.health_check for group in upstreams.groups))
    for binary in binaries:
        if binary is not None:
            _refuse_without_dyups(entry, binary, with_health_checks=checked)


def _has(binary: NginxBinary, module: DynamicModule) -> bool:
    """Whether the module is compiled in, or there with those that the agent must load before it."""
    built_in = any(re.fullmatch(_BUILT_IN[module], argument) for argument in binary.configure_arguments)
    return module in binary.modules and (built_in or all(part in binary.modules for part in _WITH[module]))


def _refuse_without_dyups(entry: Assigned, binary: NginxBinary, *, with_health_checks: bool) -> None:
    wanted = ["dyups", *(["upstream_check"] if with_health_checks else [])]
    given = binary.configure_arguments
    words = [*binary.modules, *(argument for argument in given if not argument.startswith("--without-"))]
    if re.match(_CHECKS_BY_DEFAULT, binary.version) and "--without-http_upstream_check_module" not in given:
        words.append("upstream_check")
    missing = [name for name in wanted if not any(name in word for word in words)]
    if missing:
        detail = (
            f"{binary.path} on {entry.host.name} is {binary.version} without {' and '.join(missing)}. Register a "
            "Tengine that was built with it (docs/tengine.md) and choose it for the run, "
            "or let Lua serve the same API (through: lua)."
        )
        raise Conflict(detail, code="no-nginx-module")


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
    for capability in filter(None, (entry.capability("isolation"), entry.capability("script-fence"))):
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
    isolation = entry.capability("isolation")
    if not runs_nginx or isolation is None or isolation.available or entry.inventory.caps.allow_unsandboxed_nginx:
        return
    detail = f"{entry.host.name} cannot isolate nginx by namespaces, and its owner does not allow it without."
    raise Conflict(f"{detail} ({isolation.detail}; allow_unsandboxed_nginx in caps.toml)", code="unsandboxed")


def _refuse_modules(definition: Definition, entry: Assigned, arms: Sequence[ResolvedArm]) -> None:
    if entry.slot != TARGET_SLOT:
        return
    allowed, name = entry.inventory.caps.nginx_modules, entry.host.name
    permitted = entry.inventory.caps.allow_directives
    leave = Leave(tuple(permitted))
    beyond = next((one for one in definition.nginx.allow_directives.split() if not leave.covers(one)), None)
    if beyond is not None:
        detail = (
            f"The experiment needs the directive {beyond}, which the owner of {name} does not allow. Allowed: "
            f"{', '.join(permitted) or 'none'} (allow_directives in caps.toml there)."
        )
        raise Conflict(detail, code="directive-not-allowed")
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
