"""nginx configuration for upstream groups that change while nginx runs: by Lua, by Tengine's dyups, or by reloads.

The Lua code is ngxlab's own (:mod:`ngxlab_policy.lua`): hosts run no other.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from jinja2 import UndefinedError
from ngxlab_contracts import trials
from ngxlab_contracts.sentences import say
from ngxlab_policy import lua

from ngxlab.definition.fragments import ConfigTemplateError, render_fragment
from ngxlab.definition.problems import unknown
from ngxlab.definition.resolve import ResolvedArm
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.definition.schema.nginx import DynamicUpstreams

API_GROUP_BYTES = "2m"
"""Enough for 20,000 nodes of a hundred characters each."""
IDLE_CONNECTIONS = 1024
_LONG_BODIES_FROM_A_FILE = ("client_body_buffer_size 8k;", "client_body_in_file_only clean;")
"""dyups misreads a body of more than about 130 kB that it finds in memory ("unexpected end of parameter")."""
_CHECK_WORD = r"(interval|rise|fall|timeout|port)=[0-9]{1,6}|type=(tcp|http|ssl_hello)"


@dataclass(frozen=True)
class UpstreamLines:
    """Lines for ``http``, for the status server and for the server under test."""

    http: Sequence[str] = ()
    status: Sequence[str] = ()
    server: Sequence[str] = ()


def upstream_lines(upstreams: DynamicUpstreams | None) -> UpstreamLines:
    """The lines for resolved groups, with numbers in the place of expressions."""
    if upstreams is None:
        return UpstreamLines()
    return {"lua": _lua, "tengine": _tengine, "reload": _reload}[upstreams.through](upstreams)


def upstream_addresses(upstreams: DynamicUpstreams | None) -> dict[str, str]:
    """The argument of ``proxy_pass`` for each group, by the group's key."""
    if upstreams is None:
        return {}
    if upstreams.through == "tengine":
        # dyups looks a group up by its name only if the name comes from a variable.
        return {group.key: f"http://${_variable(i)}" for i, group in enumerate(upstreams.groups)}
    return {group.key: f"http://{group.key}" for group in upstreams.groups}


def upstream_caller(upstreams: DynamicUpstreams | None) -> Callable[[str], str]:
    """For fragments: ``{{ upstream("KEY") }}`` is the argument of ``proxy_pass``."""
    addresses = upstream_addresses(upstreams)

    def address(key: object) -> str:
        if not isinstance(key, str) or key not in addresses:
            raise UndefinedError(unknown("upstream group", key, addresses))
        return addresses[key]

    return address


def upstream_spec(resolved: ResolvedArm) -> trials.DynamicUpstreams | None:
    """What the agent must fill and change in an arm. Raises DefinitionError."""
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
    """The arguments of each group's ``check``. Raises ConfigTemplateError naming the field that has an invalid one."""
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
            raise ConfigTemplateError(
                field,
                say("{word} is not one of interval=, rise=, fall=, timeout=, port= and type= with a value", word=word),
            )
    return " ".join(words)


def _variable(index: int) -> str:
    """Keys may contain characters that names of variables may not."""
    return f"ngxlab_upstream_{index}"


def _lua(upstreams: DynamicUpstreams) -> UpstreamLines:
    interval_s, cost_us = int(upstreams.read_interval_ms) / 1000, float(upstreams.lock_us_per_node)
    lines = lua.code("upstreams", f"{interval_s:g}", f"{cost_us:g}", str(upstreams.trylock).lower())
    set_up = [f"    {line}".rstrip() for line in lines]
    groups = [
        f"upstream {group.key} {{ server 0.0.0.1; balancer_by_lua_block {{ {_line('upstreams-balance', group.key)} }} "
        f"keepalive {IDLE_CONNECTIONS}; keepalive_requests 1000000000; }}"
        for group in upstreams.groups
    ]
    return UpstreamLines(
        http=(
            "lua_shared_dict ngxlab_upstreams 32m;",
            "init_by_lua_block {",
            *set_up,
            "}",
            f"init_worker_by_lua_block {{ {_line('upstreams-start')} }}",
            *groups,
        ),
        status=(
            f"location = /list {{ content_by_lua_block {{ {_line('upstreams-list')} }} }}",
            f"location = /detail {{ content_by_lua_block {{ {_line('upstreams-detail')} }} }}",
            "location /upstream/ {",
            f"    client_max_body_size {API_GROUP_BYTES};",
            f"    client_body_buffer_size {API_GROUP_BYTES};",
            f"    content_by_lua_block {{ {_line('upstreams-change')} }}",
            "}",
        ),
    )


def _line(name: str, *values: str) -> str:
    (line,) = lua.code(name, *values)
    return line


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
            *(f"    {line}" for line in _LONG_BODIES_FROM_A_FILE),
            "    dyups_interface;",
            "}",
        ),
        server=[f"set ${_variable(i)} {group.key};" for i, group in enumerate(upstreams.groups)],
    )


def _reload(_: DynamicUpstreams) -> UpstreamLines:
    return UpstreamLines(http=("include @@folder@@/upstreams.conf;",))
