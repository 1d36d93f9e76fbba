"""What hosts must have and allow before a run may start. A refusal gives the reason and the largest value that fits."""

import re
from collections.abc import Iterable, Sequence
from itertools import product

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.hosts import NginxBinary
from ngxlab_contracts.trials import DynamicModule

from ngxlab.core.errors import Conflict
from ngxlab.definition.nginx.config import nginx_modules, upstream_server_modules
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.definition.schema.streams import Stream
from ngxlab.hosts import availability
from ngxlab.runs.preflight.assignment import Assigned, beyond, roles_of
from ngxlab.runs.preflight.capacity import refuse_beyond_capacity
from ngxlab.runs.preflight.owner import refuse_what_owners_forbid


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
