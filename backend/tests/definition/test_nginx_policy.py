"""The allow-list holds against what people write, and against what nginx reads differently than people do."""

import string
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import crossplane
import pytest
from definition.definitions import sound
from definition.refused_fragments import REFUSED, UPSTREAM
from definition.sentences import unlisted
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ngxlab.definition.fragments import render_fragment
from ngxlab.definition.nginx.config import FRAGMENTS, render, render_config
from ngxlab.definition.validation import require, validate
from ngxlab.templates.registry import template, templates
from ngxlab_policy.fragments import Violation, upstream_server_violations, violations
from ngxlab_policy.syntax import ConfigSyntaxError, Directive, parse


def violations_of(texts: Mapping[str, str], variables: Mapping[str, object] | None = None) -> list[Violation]:
    values = {"servers": lambda key: f"@@upstream.{key}@@", **(variables or {})}
    fragments = {name: render_fragment(f"nginx.{name}", texts.get(name, ""), values) for name in FRAGMENTS}
    return violations(fragments, ["app"])


PASSES = "location / {{ proxy_pass {}://app; }}"


@pytest.mark.parametrize(("tls", "scheme"), [(True, "https"), (False, "http")])
def test_an_upstream_is_asked_as_its_servers_speak(tls: bool, scheme: str) -> None:
    other = {"http": "https", "https": "http"}[scheme]
    for asked, refused in ((scheme, False), (other, True)):
        raw = sound()
        raw["upstream_servers"][0]["tls"] = tls
        raw["nginx"]["server"] = PASSES.format(asked)
        found = [problem.message for problem in validate(raw).problems]
        assert any(f"write {scheme}://app" in message for message in found) is refused, found


def test_an_upstream_of_both_kinds_is_left_to_nginx() -> None:
    raw = sound()
    raw["upstream_servers"].append({**raw["upstream_servers"][0], "key": "safe", "tls": True})
    raw["nginx"]["http"] = 'upstream app { {{ servers("app") }} {{ servers("safe", weight=2) }} }'
    assert validate(raw).problems == []


@pytest.mark.parametrize("key", templates())
def test_the_built_in_templates_pass(key: str) -> None:
    chosen = template(key)
    for preset in [*chosen.presets, None]:
        definition = chosen.build(chosen.complete(preset.values if preset else {}))
        assert validate(definition.model_dump(mode="json")).problems == []


@pytest.mark.parametrize(
    "texts",
    [
        {"server": '# }\nlocation / { return 200 "}"; } # \''},
        {"server": "location ~ \"^/a{2}$\" { return 200 'a;b{c}'; }"},
        {"server": "set $a ${uri}; return 200 ${a}b;"},
        {"server": "root @@folder@@/files;\nlocation /d/ { alias @@folder@@/files/data/; try_files $uri /0 =404; }"},
        {"server": "if ($request_method = POST) { return 405; }"},
        {"server": "access_log @@folder@@/access.log combined buffer=64k flush=1s;"},
        {"server": "location / { limit_except GET { deny all; } if ($uri ~ x) { set $b 1; } }"},
        {"server": "rewrite ^/old$ /new last;\nrewrite ^/(.*)$ https://example.org/$1 redirect;\ntypes { a/b html; }"},
        {"http": "map $uri $kind { default 1; ~x 2; }\nlimit_req_zone $binary_remote_addr zone=z:1m rate=9r/s;"},
        {"http": UPSTREAM + "\nkeepalive_time 1h;", "server": "location / { proxy_pass http://app/x; }"},
        {"http": 'upstream app { {{ servers("app") }} keepalive 32; least_conn; }'},
        {"main": "thread_pool default threads=32 max_queue=65536;", "events": "accept_mutex on; multi_accept on;"},
        {"listen_options": "reuseport backlog=4096 so_keepalive=on"},
    ],
)
def test_what_is_allowed(texts: dict[str, str]) -> None:
    assert violations_of(texts) == []


@pytest.mark.parametrize(("fragment", "text", "line", "said"), REFUSED)
def test_what_is_not(fragment: str, text: str, line: int, said: str) -> None:
    upstream = {"http": UPSTREAM} if fragment == "server" else {}
    found = violations_of({**upstream, fragment: text})
    assert any(v.field == f"nginx.{fragment}" and v.line == line and said in v.message for v in found), found
    assert [text for violation in found for text in unlisted(violation.message)] == []


def test_a_fragment_in_a_variable_is_read_as_rendered() -> None:
    text = "aio {{ aio }};"
    assert violations_of({"server": text}, {"aio": "threads"}) == []
    for nasty in ("on;} server {", "on;\ninclude /etc/passwd", 'on; return 200 "', "on;\n}\n#"):
        assert violations_of({"server": text}, {"aio": nasty}), nasty


def test_backends_do_not_proxy() -> None:
    fragment = render_fragment("upstream_servers.0.server", "location / { proxy_pass http://app; }", {})
    assert [v.field for v in upstream_server_violations(fragment)] == ["upstream_servers.0.server"]
    assert (
        upstream_server_violations(render_fragment("upstream_servers.0.server", 'location / { return 200 "ok"; }', {}))
        == []
    )


Tree = list[tuple[str, list[str], object]]


def _tree(directives: tuple[Directive, ...]) -> Tree:
    return [(d.name, list(d.args), None if d.block is None else _tree(d.block)) for d in directives]


def _crossplane_tree(block: list[dict[str, Any]]) -> Tree:
    return [
        (item["directive"], item["args"], _crossplane_tree(item["block"]) if "block" in item else None)
        for item in block
    ]


def test_crossplane_reads_whole_configurations_alike(tmp_path: Path) -> None:
    definition = require(sound())
    for arm in definition.arms:
        text = render(definition, arm).replace("@@upstream.app@@", "server 127.0.0.1:9;")
        path = tmp_path / "nginx.conf"
        path.write_text(text)
        read = crossplane.parse(str(path), single=True, check_ctx=False, check_args=False)
        assert _tree(parse(text)) == _crossplane_tree(read["config"][0]["parsed"])


_PIECES = st.sampled_from(["{", "}", ";", '"', "'", "#", "\\", "$", "${", "\n", " ", "a", "gzip on;", "location /a {"])
_STATEMENTS = st.lists(_PIECES, min_size=1, max_size=5).map(lambda pieces: f"set $x {''.join(pieces)};")
_REFUSED_VALUES = ("is duplicate", "invalid variable name", "closing bracket", "duplicate location")


@settings(max_examples=300, deadline=None)
@given(st.lists(_PIECES | _STATEMENTS, max_size=8).map("".join))
@example("set $x ${a;include /x;}")
@example('location / { set $x "\\";include /x; # "; }')
def test_nginx_takes_no_fragment_for_more_than_we_do(nginx_checker: "NginxChecker", text: str) -> None:
    """What is let through stays inside its block: nginx, too, comes to the marker behind it in the same server."""
    if violations_of({"server": "{{ text }}"}, {"text": text}):
        return
    said = nginx_checker.test(f"events {{}} http {{ server {{\n{text}\nngxlab_marker;\n}} }}\n")
    assert any(expected in said for expected in ('unknown directive "ngxlab_marker"', *_REFUSED_VALUES)), said


class NginxChecker:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def test(self, text: str) -> str:
        path = self._folder / "nginx.conf"
        path.write_text(text)
        command = ["/usr/sbin/nginx", "-t", "-p", str(self._folder), "-c", str(path), "-g", "error_log stderr;"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.fixture(scope="module")
def nginx_checker(tmp_path_factory: pytest.TempPathFactory) -> NginxChecker:
    return NginxChecker(tmp_path_factory.mktemp("nginx"))


@settings(max_examples=300, deadline=None)
@given(st.text(string.printable, max_size=60))
def test_any_text_is_read_or_refused_with_a_line(text: str) -> None:
    line = 1
    try:
        parse(text)
    except ConfigSyntaxError as error:
        line = error.line
    assert 1 <= line <= text.count("\n") + 1


def test_the_skeleton_keeps_its_shape_around_any_accepted_fragment() -> None:
    definition = require(sound())
    tree = parse(render_config(definition, definition.arms[0]).text.replace("@@upstream.app@@", "server 127.0.0.1:9;"))
    (http,) = [directive for directive in tree if directive.name == "http"]
    assert http.block is not None
    assert [d.name for d in http.block].count("server") == 2
