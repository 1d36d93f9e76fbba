"""What hosts must have and allow before a run may start. A refusal gives the reason and the largest value that fits."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_address, ip_network
from itertools import product

from ngxlab_contracts.engines import CAPABILITY_FOR, ENGINES
from ngxlab_contracts.hosts import NginxBinary
from ngxlab_contracts.perturbations import WHOLE_HOST, HttpCall
from ngxlab_contracts.sentences import say
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
                "Stream {stream}: {connections} connections need more than 90 % of the {limit} file "
                "descriptors that a process on {host} may open. At most {fits} connections fit.",
                stream=stream.key,
                connections=stream.connections,
                limit=limit,
                host=entry.host.name,
                fits=fits * processes,
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
            "{plain} connections need more than half of the {ports} local ports of {host}. At most "
            "{usable} connections fit.",
            plain=plain,
            ports=ports,
            host=entry.host.name,
            usable=usable,
            code="too-many-connections",
        )
    own = _addresses(entry)
    room = usable * own * int(arm.nginx.ports)
    if idle > room and not ip_address(entry.address).is_loopback:
        raise Conflict(
            "{idle} idle connections need more than half of the {ports} local ports of {host} (its addresses: {own}, "
            "ports of nginx: {listening}). At most {room} connections fit. Let nginx listen on more ports "
            "(nginx.ports), or give the host more addresses.",
            idle=idle,
            ports=ports,
            host=entry.host.name,
            own=own,
            listening=arm.nginx.ports,
            room=room,
            code="too-many-connections",
        )


def _refuse_few_worker_connections(arm: ResolvedArm) -> None:
    reachable = arm.worker_connections * (_FREE_SHARE - 1) // _FREE_SHARE
    needed = _nginx_connections(arm)
    if needed > reachable * arm.workers:
        counted = say(" (each has another one to an upstream server)") if _proxies(arm) else ""
        raise Conflict(
            "{arm}: with worker_connections {worker_connections}, nginx closes idle connections beyond "
            "{reachable} per worker, and the load needs {needed}{counted}. Raise worker_connections.",
            arm=arm.arm.label,
            worker_connections=arm.worker_connections,
            reachable=reachable,
            needed=needed,
            counted=counted,
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
            "{arm}: worker_connections {worker_connections} is more than the {limit} file descriptors "
            "that a process on {host} may open. Set at most {limit}, and use more workers if necessary.",
            arm=arm.arm.label,
            worker_connections=arm.worker_connections,
            limit=limit,
            host=target.host.name,
            code="too-many-worker-connections",
        )
    fits = int(limit * _USABLE_SHARE) - _RESERVED_DESCRIPTORS
    if connections > fits * arm.workers:
        raise Conflict(
            "{arm}: {connections} connections over {workers} workers need more than 90 % of the {limit}"
            " file descriptors that a process on {host} may open. Set workers to at least {wanted}.",
            arm=arm.arm.label,
            connections=connections,
            workers=arm.workers,
            limit=limit,
            host=target.host.name,
            wanted=math.ceil(connections / max(1, fits)),
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
            "{connections} connections need more than 80 % of the {limit} entries of the "
            "connection-tracking table of {host}. At most {fits} connections fit; or set "
            "net.netfilter.nf_conntrack_max to at least {wanted} there.",
            connections=connections,
            limit=limit,
            host=host.host.name,
            fits=int(limit * _CONNTRACK_SHARE),
            wanted=math.ceil(connections / _CONNTRACK_SHARE),
            code="conntrack-too-small",
        )


def _refuse_beyond_memory(host: Assigned, ends: int) -> None:
    room = host.inventory.memory_bytes * _MEMORY_SHARE
    if ends * _BYTES_AN_END > room:
        raise Conflict(
            "{ends} ends of connections need about {memory:,} MiB, more than 80 % of the memory of "
            "{host}. At most {fits} ends fit; a connection within one host has two.",
            ends=ends,
            memory=ends * _BYTES_AN_END >> 20,
            host=host.host.name,
            fits=int(room / _BYTES_AN_END),
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
        raise Conflict("{host} {trouble}.", host=host.name, trouble=trouble, code=code)
    if host.draining:
        raise Conflict("{host} is draining and accepts no new run.", host=host.name, code="host-draining")
    if roles & {"target", "upstream"} and not inventory.nginx:
        raise Conflict("{host} has no nginx. Install it there; the agent detects it.", host=host.name, code="no-nginx")
    refuse_missing_engines(definition, entry)
    _refuse_unthrottled(definition, entry)
    for role in sorted(roles - set(inventory.caps.roles)):
        raise Conflict(
            "The owner of {host} does not allow it the role {role}.", host=host.name, role=role, code="role-not-allowed"
        )


def _refuse_unthrottled(definition: Definition, entry: Assigned) -> None:
    cold = definition.nginx.cold_files
    if cold is None or cold.method != "throttle" or entry.slot != TARGET_SLOT:
        return
    capability = entry.capability("throttled-disk")
    if capability is None or not capability.available:
        reason = capability.detail if capability is not None else say("its agent is too old to have this capability")
        raise Conflict(
            "{host} cannot read files from a throttled disk: {reason}. Use the method evict instead.",
            host=entry.host.name,
            reason=reason,
            code="no-throttled-disk",
        )


def _refuse_cpus(definition: Definition, assigned: Sequence[Assigned]) -> None:
    if isinstance(definition.placement, str):
        return
    for entry in assigned:
        cpus, wanted = entry.inventory.cpu.logical, definition.placement.get(entry.slot)
        if wanted is not None and beyond(wanted, cpus):
            raise Conflict(
                "placement.{slot} names CPUs {wanted}, but {host} has CPUs 0 to {last}.",
                slot=entry.slot,
                wanted=wanted,
                host=entry.host.name,
                last=cpus - 1,
                code="no-such-cpu",
            )


def refuse_missing_engines(definition: Definition, entry: Assigned) -> None:
    """Raises Conflict naming the host, the stream and how to fix it."""
    for stream in definition.streams:
        if stream.slot != entry.slot:
            continue
        engine = ENGINES[stream.engine]
        if engine.program is not None and engine.program not in entry.inventory.engine_programs:
            raise Conflict(
                "{host} has no {program}. Install it there; the agent detects it.",
                host=entry.host.name,
                program=engine.program,
                code=f"no-{engine.program}",
            )
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
            reason = capability.detail if capability is not None else say("its agent is too old for it")
            raise Conflict(
                "Stream {stream} speaks {version}, which {host} cannot: {reason}.",
                stream=stream,
                version=version.upper(),
                host=entry.host.name,
                reason=reason,
                code=f"no-{name}",
            )


def _require_capability(entry: Assigned, stream: Stream, name: str) -> None:
    capability = entry.capability(name)
    if capability is None or not capability.available:
        reason = capability.detail if capability is not None else say("its agent is too old to have it")
        raise Conflict(
            "Stream {stream} needs the engine {engine}, which {host} cannot run: {reason}.",
            stream=stream.key,
            engine=stream.engine,
            host=entry.host.name,
            reason=reason,
            code=f"no-{name}",
        )


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
            raise Conflict(
                "{path} on {host} has no {module}, which {needed_by} needs. Install {packages} there; the "
                "agent detects it.",
                path=binary.path,
                host=entry.host.name,
                module=module,
                needed_by=needed_by,
                packages=_PACKAGES[module],
                code="no-nginx-module",
            )


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
        raise Conflict(
            "{path} on {host} is {version} without {missing}. Register a Tengine that was built with it"
            " (docs/tengine.md) and choose it for the run, or let Lua serve the same API (through: "
            "lua).",
            path=binary.path,
            host=entry.host.name,
            version=binary.version,
            missing=" and ".join(missing),
            code="no-nginx-module",
        )


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
        main = render_fragments(definition, arm.variables)["main"].text
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
