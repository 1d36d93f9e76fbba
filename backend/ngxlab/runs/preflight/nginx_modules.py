"""Modules that the ready-made sections of a definition need in the nginx of their host."""

import re
from collections.abc import Iterable
from itertools import product

from ngxlab_contracts.hosts import NginxBinary
from ngxlab_contracts.trials import DynamicModule

from ngxlab.core.errors import Conflict
from ngxlab.definition.nginx.config import nginx_modules, upstream_server_modules
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.runs.preflight.assignment import Assigned

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
