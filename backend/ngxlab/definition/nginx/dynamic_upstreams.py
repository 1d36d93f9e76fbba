"""nginx configuration for upstream groups that change while nginx runs: by Lua, by Tengine's dyups, by reloading.

The Lua is ngxlab's own, and nothing but numbers and keys of a definition goes into it or beside it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import UndefinedError
from ngxlab_contracts import trials

from ngxlab.definition.fragments import ConfigTemplateError, render_fragment
from ngxlab.definition.resolve import ResolvedArm
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.definition.schema.nginx import DynamicUpstreams

API_GROUP_BYTES = "2m"
"""20,000 nodes of up to a hundred characters."""
IDLE_CONNECTIONS = 1024
_CHECK_WORD = r"(interval|rise|fall|timeout|port)=[0-9]{1,6}|type=(tcp|http|ssl_hello)"
_LUA = Path(__file__).with_suffix(".lua")


@dataclass(frozen=True)
class UpstreamLines:
    """What stands in ``http``, in the status server and in the server under test."""

    http: Sequence[str] = ()
    status: Sequence[str] = ()
    server: Sequence[str] = ()


def upstream_lines(upstreams: DynamicUpstreams | None) -> UpstreamLines:
    """For resolved groups: every number in place."""
    if upstreams is None:
        return UpstreamLines()
    return {"lua": _lua, "tengine": _tengine, "reload": _reload}[upstreams.through](upstreams)


def upstream_addresses(upstreams: DynamicUpstreams | None) -> dict[str, str]:
    """What ``proxy_pass`` is given, by the group's key."""
    if upstreams is None:
        return {}
    if upstreams.through == "tengine":
        # dyups finds only those by their name that come from a variable.
        return {group.key: f"http://${_variable(i)}" for i, group in enumerate(upstreams.groups)}
    return {group.key: f"http://{group.key}" for group in upstreams.groups}


def upstream_caller(upstreams: DynamicUpstreams | None) -> Callable[[str], str]:
    """For templates: ``{{ upstream("KEY") }}`` is where to ``proxy_pass`` to."""
    addresses = upstream_addresses(upstreams)

    def address(key: object) -> str:
        if not isinstance(key, str) or key not in addresses:
            there_are = f"there are {', '.join(addresses)}" if addresses else "there is none"
            raise UndefinedError(f"there is no upstream group {key!r}; {there_are}")
        return addresses[key]

    return address


def upstream_spec(resolved: ResolvedArm) -> trials.DynamicUpstreams | None:
    """What the agent has to fill and to change in an arm. Raises DefinitionError."""
    upstreams = resolved.nginx.upstreams
    if upstreams is None:
        return None
    checks = health_checks(upstreams, resolved.variables)
    return trials.DynamicUpstreams(
        through="file" if upstreams.through == "reload" else "api",
        groups=[
            trials.UpstreamGroup(
                name=group.key,
                nodes=int(group.nodes),
                endpoint=f"{trials.UPSTREAM_VARIABLE_PREFIX}{group.server}",
                health_check=check,
            )
            for group, check in zip(upstreams.groups, checks, strict=True)
        ],
        settle_s=float(upstreams.read_interval_ms) / 1000 if upstreams.through == "tengine" else 0,
    )


def health_checks(upstreams: DynamicUpstreams, variables: Mapping[str, LevelValue]) -> list[str]:
    """The arguments of each group's ``check``. Raises ConfigTemplateError naming the field that is no such thing."""
    common = _health_check("nginx.upstreams.health_check", upstreams.health_check, variables)
    return [
        common
        if group.health_check is None
        else _health_check(f"nginx.upstreams.groups.{i}.health_check", group.health_check, variables)
        for i, group in enumerate(upstreams.groups)
    ]


def _health_check(field: str, source: str, variables: Mapping[str, LevelValue]) -> str:
    words = render_fragment(field, source, variables).text.split()
    for word in words:
        if not re.fullmatch(_CHECK_WORD, word, re.ASCII):
            raise ConfigTemplateError(field, f"{word} is none of interval=, rise=, fall=, timeout=, port= and type=")
    return " ".join(words)


def _variable(index: int) -> str:
    """Keys may hold what names of variables may not."""
    return f"ngxlab_upstream_{index}"


def _lua(upstreams: DynamicUpstreams) -> UpstreamLines:
    settings = (
        f'lock_path = "@@folder@@/upstreams.lock", interval_s = {int(upstreams.read_interval_ms) / 1000:g}, '
        f"lock_us_per_node = {float(upstreams.lock_us_per_node):g}, trylock = {str(upstreams.trylock).lower()}"
    )
    code = [f"    {line}".rstrip() for line in _LUA.read_text().splitlines()]
    groups = [
        f"upstream {group.key} {{ server 0.0.0.1; balancer_by_lua_block {{ ngxlab_upstreams.balance('{group.key}') }} "
        f"keepalive {IDLE_CONNECTIONS}; keepalive_requests 1000000000; }}"
        for group in upstreams.groups
    ]
    return UpstreamLines(
        http=(
            "lua_shared_dict ngxlab_upstreams 32m;",
            "init_by_lua_block {",
            *code,
            f"    ngxlab_upstreams.set_up {{ {settings} }}",
            "}",
            "init_worker_by_lua_block { ngxlab_upstreams.start() }",
            *groups,
        ),
        status=(
            "location = /list { content_by_lua_block { ngxlab_upstreams.list() } }",
            "location = /detail { content_by_lua_block { ngxlab_upstreams.detail() } }",
            "location /upstream/ {",
            f"    client_max_body_size {API_GROUP_BYTES};",
            f"    client_body_buffer_size {API_GROUP_BYTES};",
            "    content_by_lua_block { ngxlab_upstreams.upstream() }",
            "}",
        ),
    )


def _tengine(upstreams: DynamicUpstreams) -> UpstreamLines:
    return UpstreamLines(
        http=(
            f"dyups_read_msg_timeout {int(upstreams.read_interval_ms)}ms;",
            f"dyups_trylock {'on' if upstreams.trylock else 'off'};",
            "dyups_shm_zone_size 64m;",
        ),
        status=(
            "location / {",
            f"    client_max_body_size {API_GROUP_BYTES};",
            f"    client_body_buffer_size {API_GROUP_BYTES};",
            "    dyups_interface;",
            "}",
        ),
        server=[f"set ${_variable(i)} {group.key};" for i, group in enumerate(upstreams.groups)],
    )


def _reload(_: DynamicUpstreams) -> UpstreamLines:
    return UpstreamLines(http=("include @@folder@@/upstreams.conf;",))
