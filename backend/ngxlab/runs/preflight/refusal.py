"""What hosts must have and allow before a run may start. A refusal gives the reason and how to mend it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from ngxlab_contracts.engines import CAPABILITY_FOR, CAPABILITY_FOR_HYBRID, ENGINES, HYBRID_GROUP
from ngxlab_contracts.hosts import PROFILE, NginxBinary
from ngxlab_contracts.sentences import say
from ngxlab_contracts.trials import DynamicModule
from ngxlab_policy.document import modules_of_directives

from ngxlab.core.errors import Conflict
from ngxlab.definition.nginx.config import nginx_modules, render_fragments, upstream_server_modules
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.definition.schema.streams import Stream
from ngxlab.hosts import availability
from ngxlab.runs.preflight.assignment import Assigned, beyond, roles_of
from ngxlab.runs.preflight.host_limits import refuse_beyond_limits
from ngxlab.runs.preflight.owners import refuse_what_owners_forbid

_HTTP3 = "--with-http_v3_module"


def refuse_if_impossible(definition: Definition, assigned: Sequence[Assigned]) -> None:
    """Raises Conflict naming the host and what it lacks (docs/checks.md, Decided before a run starts)."""
    arms = [resolve(definition, arm) for arm in definition.arms]
    for entry in assigned:
        _refuse_unfit(definition, entry)
        refuse_missing_modules(definition, entry)
        refuse_unspoken_versions(definition, entry, arms)
        refuse_builds_without_http3(definition, entry, arms)
        refuse_missing_groups(definition, entry, arms)
        if definition.profile is not None:
            refuse_unprofiled(entry)
    refuse_what_owners_forbid(definition, assigned, arms)
    refuse_beyond_limits(definition, assigned, arms)
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
    if (reason := _lacks(entry, "throttled-disk")) is not None:
        raise Conflict(
            "{host} cannot read files from a throttled disk: {reason}. Use the method evict instead.",
            host=entry.host.name,
            reason=reason,
            code="no-throttled-disk",
        )


def refuse_unprofiled(entry: Assigned) -> None:
    """Raises Conflict naming what the target lacks to be profiled, or that its owner does not allow it."""
    if entry.slot != TARGET_SLOT:
        return
    if (reason := _lacks(entry, PROFILE)) is not None:
        raise Conflict("{host} cannot profile nginx: {reason}.", host=entry.host.name, reason=reason, code="no-profile")
    if not entry.inventory.caps.allow_profiles:
        raise Conflict(
            "The owner of {host} does not allow profiles there.", host=entry.host.name, code="profiles-not-allowed"
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
        if name is not None and (reason := _lacks(entry, name)) is not None:
            raise Conflict(
                "Stream {stream} speaks {version}, which {host} cannot: {reason}.",
                stream=stream,
                version=version.upper(),
                host=entry.host.name,
                reason=reason,
                code=f"no-{name}",
            )


def refuse_builds_without_http3(definition: Definition, entry: Assigned, arms: Sequence[ResolvedArm]) -> None:
    """Raises Conflict naming a build of nginx that cannot listen as an arm wants, and where there is one that can."""
    if entry.slot != TARGET_SLOT:
        return
    for arm, resolved in zip(definition.arms, arms, strict=True):
        binary = entry.nginx(definition.build(arm))
        offered = render_fragments(definition, resolved.variables)["listen_options"].text.split()
        if binary is not None and "quic" in offered and _HTTP3 not in binary.configure_arguments:
            raise Conflict(
                "{path} on {host} is {version} without HTTP/3, which quic in nginx.listen_options asks for. Debian "
                "13's nginx has it; or register a build that is configured {option}.",
                path=binary.path,
                host=entry.host.name,
                version=binary.version,
                option=_HTTP3,
                code="no-nginx-module",
            )


def refuse_missing_groups(definition: Definition, entry: Assigned, arms: Sequence[ResolvedArm]) -> None:
    """Raises Conflict naming the host, the stream and what is missing to agree on keys as it says."""
    own = {stream.key for stream in definition.streams if stream.slot == entry.slot}
    clients = [(stream.key, stream.tls_client) for arm in arms for stream in arm.streams if stream.key in own]
    for stream, client in clients:
        if client is None or client.group != HYBRID_GROUP:
            continue
        if (reason := _lacks(entry, CAPABILITY_FOR_HYBRID)) is not None:
            raise Conflict(
                "Stream {stream} agrees on keys by {group}, which {host} cannot: {reason}.",
                stream=stream,
                group=HYBRID_GROUP.upper(),
                host=entry.host.name,
                reason=reason,
                code=f"no-{CAPABILITY_FOR_HYBRID}",
            )


def _require_capability(entry: Assigned, stream: Stream, name: str) -> None:
    if (reason := _lacks(entry, name)) is not None:
        raise Conflict(
            "Stream {stream} needs the engine {engine}, which {host} cannot run: {reason}.",
            stream=stream.key,
            engine=stream.engine,
            host=entry.host.name,
            reason=reason,
            code=f"no-{name}",
        )


def _lacks(entry: Assigned, name: str) -> str | None:
    """What the host lacks for a capability; ``None`` where it has it."""
    capability = entry.capability(name)
    if capability is None:
        return say("its agent is too old for it")
    return None if capability.available else capability.detail


_WITH: Mapping[str, tuple[str, ...]] = {"http_lua_module": ("ndk_http_module", "http_lua_module")}
_BUILT_IN: Mapping[str, str] = {
    "http_lua_module": r"--with-http_lua_module|--add-module=(.*/)?(ngx_http_lua|lua-nginx-module|ngx_lua)[^/]*/?",
    "stream_module": "--with-stream",
    **dict.fromkeys(("http_brotli_filter_module", "http_brotli_static_module"), r"--add-module=.*brotli.*"),
}
"""The arguments of ``configure`` that compile the module in; it then needs no other."""
_PACKAGES: Mapping[str, str] = {
    "http_lua_module": "libnginx-mod-http-lua",
    "stream_module": "libnginx-mod-stream",
    "http_brotli_filter_module": "libnginx-mod-http-brotli-filter",
    "http_brotli_static_module": "libnginx-mod-http-brotli-static",
}

_NEEDED_BY: dict[DynamicModule, str] = {"http_lua_module": "nginx.upstreams", "stream_module": "nginx.tcp"}

_CHECKS_BY_DEFAULT = r"Tengine/(1|2\.[0-2])\."
"""Versions whose ``configure`` compiles health checks in unless told not to (``auto/options``)."""


def refuse_missing_modules(definition: Definition, entry: Assigned) -> None:
    """Raises Conflict naming what to install or to register, for any nginx that runs in the slot."""
    if entry.slot == TARGET_SLOT:
        tested = [entry.nginx(build) for build in dict.fromkeys(map(definition.build, definition.arms))]
        needed = [(module, _NEEDED_BY[module]) for module in nginx_modules(definition.nginx)]
        _refuse_missing(entry, tested, [*needed, *((module, "the configuration") for module in _asked(definition))])
        _refuse_other_than_tengine(definition, entry, tested)
    own = [upstream for upstream in definition.upstream_servers if upstream.slot == entry.slot]
    for upstream in own:
        needed = [(module, f"upstream server {upstream.key}") for module in upstream_server_modules(upstream)]
        _refuse_missing(entry, [entry.nginx(None)], needed)


def _refuse_missing(entry: Assigned, binaries: Iterable[NginxBinary | None], needed: Iterable[tuple[str, str]]) -> None:
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


def _asked(definition: Definition) -> tuple[str, ...]:
    """Modules whose directives stand in the texts of the configuration, or in a value that an arm puts there."""
    nginx = definition.nginx
    values = [value for factor in definition.factors for level in factor.levels for value in level.variables.values()]
    return modules_of_directives("\n".join([nginx.main, nginx.events, nginx.http, nginx.server, *map(str, values)]))


def _has(binary: NginxBinary, module: str) -> bool:
    """Whether the module is compiled in, or there with those that the agent must load before it."""
    built_in = any(re.fullmatch(_BUILT_IN[module], argument) for argument in binary.configure_arguments)
    return built_in or all(part in binary.modules for part in _WITH.get(module, (module,)))


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
