"""What the owner of a host may allow beyond the list, and what nobody can."""

import pytest
from ngxlab_policy import owner
from ngxlab_policy.owner import Leave
from ngxlab_policy.syntax import parse

CODE = Leave(("*",), ("/etc/ngxlab/code/",))


def said(text: str) -> list[str]:
    (directive,) = parse(text)
    return list(owner.problems(directive, CODE))


@pytest.mark.parametrize(
    "name",
    [
        "content_by_lua_block", "content_by_lua", "perl", "perl_set", "modsecurity_rules",
        "include", "listen", "proxy_pass", "modsecurity_rules_remote",
    ],
)  # fmt: skip
def test_a_pattern_covers_neither_code_of_the_experiment_nor_what_ngxlab_writes(name: str) -> None:
    patterns = Leave(tuple(f"{name[:length]}*" for length in (1, 4, len(name))))
    assert not patterns.covers(name)


def test_code_of_the_experiment_needs_the_exact_word() -> None:
    assert Leave(("content_by_lua_block",)).covers("content_by_lua_block")
    assert not Leave(("include",)).covers("include")


@pytest.mark.parametrize(
    "text",
    [
        "content_by_lua_file /etc/ngxlab/code/a.lua;",
        "js_import main from /etc/ngxlab/code/main.js;",
        "js_import /etc/ngxlab/code/main.js;",
        "js_path /etc/ngxlab/code;",
        "js_load_http_native_module /etc/ngxlab/code/m.so as m;",
        'lua_package_path "/etc/ngxlab/code/?.lua;;";',
        "js_content main.answer;",
        "more_set_headers 'X-A: $uri';",
        "js_shared_dict_zone zone=a:1M;",
    ],
)
def test_code_that_the_owner_names_may_be_used(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "content_by_lua_file $arg_f;",
        "content_by_lua_file access.log;",
        "content_by_lua_file @@folder@@/access.log;",
        "content_by_lua_file /etc/ngxlab/code/$arg_f;",
        "content_by_lua_file /etc/ngxlab/code/../a.lua;",
        "content_by_lua_file /etc/ngxlab/codes/a.lua;",
        "js_import a from @@folder@@/files/x.js;",
        "js_import x.js;",
        "js_path store;",
        'lua_package_path "./?.lua;/etc/ngxlab/code/?.lua";',
        "js_shared_dict_zone zone=a:1M state=/etc/ngxlab/evil.json;",
        "xslt_stylesheet file:///etc/passwd;",
        "proxy_ssl_certificate_key engine:x:/etc/x;",
        "echo_x unix:/run/docker.sock;",
    ],
)
def test_other_files_sockets_and_code_of_unknown_origin_may_not(text: str) -> None:
    assert said(text) != []


def test_a_block_of_lua_ends_where_its_code_does() -> None:
    code = 'local a = [==[ } ]==] local b = "}" -- }\n local c = { 1 }'
    assert owner.lua_block(f"{code}}} more", 0) == (f"own: {code}", len(code) + 1)


@pytest.mark.parametrize("unclosed", ["[[ ", "[==[", "--[[ ", '"', "'"])
def test_what_a_block_of_lua_quotes_must_end_and_is_read_once(unclosed: str) -> None:
    """Read anew for each beginning, so many would take a minute."""
    assert owner.lua_block(unclosed * 20_001 + "\n}", 0) is None
