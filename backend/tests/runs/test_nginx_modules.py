"""A run whose nginx lacks a module is refused with what to do about it."""

from typing import Any

import pytest
from definition.definitions import sound
from harness import inventory
from ngxlab.core.errors import Conflict
from ngxlab.definition.validation import require
from ngxlab.hosts.models import Host
from ngxlab.runs.preflight.assignment import Assigned
from ngxlab.runs.preflight.refusal import refuse_missing_modules
from ngxlab_contracts.hosts import NginxBinary
from ngxlab_policy.document import modules_of_directives

LUA = ["ndk_http_module", "http_lua_module"]


def host(slot: str, modules: list[str], version: str = "nginx/1.22.1", *arguments: str) -> Assigned:
    binary = NginxBinary(
        path="/usr/sbin/nginx", version=version, configure_arguments=list(arguments), modules=modules, sha256="0"
    )
    return Assigned(slot, Host(name="den"), inventory(nginx=[binary]), "127.0.0.1")


def definition_with(**upstreams: Any) -> Any:
    raw = sound()
    raw["upstream_servers"] = [{"key": "app", "slot": "upstream", "behaviour": {"kind": "slow", "delay_ms": 100}}]
    raw["nginx"]["upstreams"] = {"groups": [{"key": "nodes", "nodes": 2, "server": "app"}], **upstreams}
    return require(raw)


@pytest.mark.parametrize("slot", ["target", "upstream"])
def test_lua_is_asked_for_where_it_runs(slot: str) -> None:
    definition = definition_with(through="lua")
    refuse_missing_modules(definition, host(slot, LUA))
    with pytest.raises(Conflict, match="Install libnginx-mod-http-lua there") as refused:
        refuse_missing_modules(definition, host(slot, LUA[:1]))
    assert "den" in str(refused.value)


def test_who_runs_no_lua_needs_none() -> None:
    refuse_missing_modules(definition_with(through="lua"), host("first", []))
    refuse_missing_modules(definition_with(through="reload"), host("target", []))


@pytest.mark.parametrize(
    "argument",
    [
        "--add-module=modules/ngx_http_lua_module",
        "--add-module=/src/lua-nginx-module",
        "--add-module=../ngx_lua-0.10.26",
    ],
)
def test_compiled_in_lua_needs_no_other_module(argument: str) -> None:
    refuse_missing_modules(
        definition_with(through="lua"), host("target", ["http_lua_module"], "nginx/1.24.0", argument)
    )


def test_older_tengines_have_checks_unless_told_not_to() -> None:
    checked = definition_with(through="tengine", health_check="type=tcp")
    dyups = ["http_dyups_module"], "Tengine/2.1.2 (nginx/1.6.2)"
    refuse_missing_modules(checked, host("target", *dyups))
    with pytest.raises(Conflict, match="without upstream_check"):
        refuse_missing_modules(checked, host("target", *dyups, "--without-http_upstream_check_module"))


def test_tengine_needs_dyups_and_perhaps_checks() -> None:
    plain, checked = definition_with(through="tengine"), definition_with(through="tengine", health_check="type=tcp")
    dyups = host("target", ["http_upstream_dyups_module"], "Tengine/3.1.0 (nginx/1.24.0)")
    refuse_missing_modules(plain, dyups)
    with pytest.raises(Conflict, match="without upstream_check"):
        refuse_missing_modules(checked, dyups)
    with pytest.raises(Conflict, match="without dyups"):
        refuse_missing_modules(plain, host("target", LUA))


def test_brotli_is_asked_for_by_its_directives_and_loaded_for_them() -> None:
    raw = sound()
    base = raw["nginx"]["http"]
    raw["nginx"]["http"] = f"gzip off;\nbrotli on;\n{base}"
    wanting = require(raw)
    refuse_missing_modules(wanting, host("target", ["http_brotli_filter_module"]))
    refuse_missing_modules(wanting, host("target", [], "nginx/1.28.0", "--add-module=/src/ngx_brotli"))
    with pytest.raises(Conflict, match="Install libnginx-mod-http-brotli-filter there"):
        refuse_missing_modules(wanting, host("target", LUA))
    raw["nginx"]["http"] = f"# brotli on;\n{base}"
    refuse_missing_modules(require(raw), host("target", LUA))


def test_a_long_text_is_read_at_once() -> None:
    """Its time grew with the square of its blank lines, while nobody else was answered."""
    assert modules_of_directives("\n" * 1_000_000 + "gzip on;\n  brotli on;") == ("http_brotli_filter_module",)
    assert modules_of_directives(" " * 1_000_000 + "\n\t" * 100_000) == ()
