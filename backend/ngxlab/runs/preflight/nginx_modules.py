"""Modules that the ready-made sections of a definition need in the nginx of their host."""

from collections.abc import Iterator

from ngxlab_contracts.hosts import NginxBinary
from ngxlab_contracts.trials import DynamicModule

from ngxlab.core.errors import Conflict
from ngxlab.definition.nginx.modules import nginx_modules, upstream_server_modules
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.runs.preflight.assignment import Assigned

_WITH: dict[DynamicModule, tuple[str, ...]] = {"http_lua_module": ("ndk_http_module", "http_lua_module")}
_PACKAGES: dict[DynamicModule, str] = {"http_lua_module": "libnginx-mod-http-lua"}


def refuse_missing_modules(definition: Definition, entry: Assigned) -> None:
    """Raises Conflict naming what to install or to register. The first nginx in the inventory is the one that runs."""
    binary = entry.inventory.nginx[0] if entry.inventory.nginx else None
    if binary is None:
        return
    for module, needed_by in _needed(definition, entry.slot):
        if not _has(binary, module):
            detail = (
                f"{binary.path} on {entry.host.name} has no {module}, which {needed_by} needs. "
                f"Install {_PACKAGES[module]} there; the agent detects it."
            )
            raise Conflict(detail, code="no-nginx-module")
    upstreams = definition.nginx.upstreams
    if entry.slot == TARGET_SLOT and upstreams is not None and upstreams.through == "tengine":
        _refuse_without_dyups(
            entry,
            binary,
            with_health_checks=bool(upstreams.health_check or any(g.health_check for g in upstreams.groups)),
        )


def _needed(definition: Definition, slot: str) -> Iterator[tuple[DynamicModule, str]]:
    if slot == TARGET_SLOT:
        yield from ((module, "nginx.upstreams") for module in nginx_modules(definition.nginx))
    for upstream in definition.upstream_servers:
        if upstream.slot == slot:
            yield from ((module, f"upstream server {upstream.key}") for module in upstream_server_modules(upstream))


def _has(binary: NginxBinary, module: DynamicModule) -> bool:
    """Whether the module and those it depends on are there; the agent loads all of them."""
    return all(part in binary.modules for part in _WITH[module])


def _refuse_without_dyups(entry: Assigned, binary: NginxBinary, *, with_health_checks: bool) -> None:
    wanted = ["dyups", *(["upstream_check"] if with_health_checks else [])]
    words = [*binary.modules, *binary.configure_arguments]
    missing = [name for name in wanted if not any(name in word for word in words)]
    if missing:
        detail = (
            f"{binary.path} on {entry.host.name} is {binary.version} without {' and '.join(missing)}. Register a "
            "Tengine that was built with it (docs/tengine.md) and choose it for the run, "
            "or let Lua serve the same API (through: lua)."
        )
        raise Conflict(detail, code="no-nginx-module")
