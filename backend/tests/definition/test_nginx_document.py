"""A host judges the whole configuration that it is given: what the backend writes passes, and nothing beyond it."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from definition.definitions import sound
from definition.refused_fragments import REFUSED, UPSTREAM
from definition.rendered_nginx import MODULES
from ngxlab.definition.fragments import render_fragment
from ngxlab.definition.nginx.config import FRAGMENTS, render
from ngxlab.definition.nginx.upstream_server import render_upstream_server
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import require
from ngxlab.templates.registry import template, templates
from ngxlab_policy.document import Surroundings, directives_of_code, loaded_modules, problems

AROUND = Surroundings(frozenset({"app"}))
MODULES_PLACE = "@@modules@@\n"
SKELETON = """\
daemon off;
worker_processes 2;
pid @@pid_file@@;
error_log @@error_log@@ warn;
<main>
events {
    worker_connections 1024;
    <events>
}
http {
    access_log off;
    client_body_temp_path @@folder@@/temp/client_body;
    proxy_temp_path @@folder@@/temp/proxy;
    fastcgi_temp_path @@folder@@/temp/fastcgi;
    uwsgi_temp_path @@folder@@/temp/uwsgi;
    scgi_temp_path @@folder@@/temp/scgi;
    proxy_ignore_headers X-Accel-Redirect;
    fastcgi_ignore_headers X-Accel-Redirect;
    uwsgi_ignore_headers X-Accel-Redirect;
    scgi_ignore_headers X-Accel-Redirect;
    grpc_ignore_headers X-Accel-Redirect;
    <http>
    server {
        listen 127.0.0.1:@@status_port@@;
        location = /stub_status { stub_status; }
    }
    server {
        listen @@address@@:@@http_port@@ <listen_options>;
        <server>
    }
}
"""


def document(fragments: Mapping[str, str]) -> str:
    servers = {"servers": lambda key: f"@@upstream.{key}@@"}
    return assembled({name: render_fragment(name, fragments.get(name, ""), servers).text for name in FRAGMENTS})


def assembled(rendered: Mapping[str, str]) -> str:
    text = SKELETON
    for name in FRAGMENTS:
        text = text.replace(f"<{name}>", rendered[name])
    return text


def surroundings(definition: Definition) -> Surroundings:
    groups = definition.nginx.upstreams.groups if definition.nginx.upstreams else []
    keys = (upstream.key for upstream in definition.upstream_servers)
    return Surroundings(frozenset(keys), frozenset(group.key for group in groups))


@pytest.mark.parametrize("key", templates())
def test_what_the_backend_writes_passes(key: str) -> None:
    chosen = template(key)
    for preset in [*chosen.presets, None]:
        definition = chosen.build(chosen.complete(preset.values if preset else {}))
        for arm in definition.arms:
            assert problems(render(definition, arm), surroundings(definition)) == []
            assert directives_of_code(render(definition, arm)) == ()
            for upstream in definition.upstream_servers:
                assert problems(render_upstream_server(definition, upstream, arm), Surroundings()) == []


def test_quic_has_a_listener_beside_that_of_the_load() -> None:
    raw = sound()
    raw["nginx"] |= {"listen_options": "quic rcvbuf=4m reuseport", "tls": False}
    definition = require(raw)
    text = render(definition, definition.arms[0])
    assert "listen @@address@@:@@http_port@@ rcvbuf=4m reuseport;" in text
    assert "listen @@address@@:@@http_port@@ quic reuseport rcvbuf=4m;" in text
    assert problems(text, surroundings(definition)) == []


def test_the_skeleton_passes() -> None:
    assert problems(document({}), AROUND) == []
    definition = require(sound())
    assert problems(render(definition, definition.arms[0]), surroundings(definition)) == []


@pytest.mark.parametrize(("fragment", "text"), [(fragment, text) for fragment, text, _, _ in REFUSED])
def test_what_no_experiment_may_have_is_refused_here_or_by_nginx(fragment: str, text: str, tmp_path: Path) -> None:
    whole = document({**({"http": UPSTREAM} if fragment == "server" else {}), fragment: text})
    if problems(whole, AROUND) or text == "return 200 @@pid_file@@;":  # a name of a file that is nobody's secret
        return
    path = tmp_path / "nginx.conf"
    path.write_text(MODULES + filled(whole, tmp_path))
    (tmp_path / "temp").mkdir()
    tested = subprocess.run(["/usr/sbin/nginx", "-t", "-p", tmp_path, "-c", path], capture_output=True, check=False)
    assert tested.returncode != 0, whole


def filled(text: str, folder: Path) -> str:
    values = {"folder": str(folder), "pid_file": f"{folder}/pid", "error_log": f"{folder}/error.log"}
    values |= {"address": "127.0.0.1", "status_port": "19991", "http_port": "19992"}
    for name, value in {**values, "upstream.app": "server 127.0.0.1:9;"}.items():
        text = text.replace(f"@@{name}@@", value)
    return text


def test_an_owner_allows_exactly_the_modules_that_are_named() -> None:
    one, other = (f"/usr/lib/nginx/modules/ngx_http_{name}_module.so" for name in ("a", "b"))
    text = MODULES_PLACE + document({"main": f"load_module {one};"})
    assert loaded_modules(text) == (one,)
    assert problems(text, Surroundings(modules=frozenset({one}))) == []
    [said] = problems(text, Surroundings(modules=frozenset({other})))
    assert said == (
        f"line 6: load_module: the owner of this host does not allow {one}; allowed: {other} (nginx_modules in "
        "caps.toml)"
    )


LUA = "content_by_lua_block { ngxlab_upstreams.upstream() }"
CHANGE = "client_max_body_size 2m; client_body_buffer_size 2m;"
GROUP = "upstream g { server 0.0.0.1; balancer_by_lua_block { ngxlab_upstreams.balance('g') } }"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<main>", "load_module /tmp/x.so;", "load_module: /tmp/x.so must be"),
        ("<main>", "load_module /usr/lib/x.so;", "the owner of this host does not allow /usr/lib/x.so; allowed: none"),
        ("<main>", "stream { server { listen 1; } }", "1 is not a port that was chosen for it"),
        ("<main>", "@@modules@@", "@@modules@@ does not exist here"),
        ("<main>", "daemon on;", "daemon is not allowed"),
        ("<main>", "worker_processes auto;", "worker_processes is not allowed"),
        ("error_log @@error_log@@ warn;", "error_log /etc/cron.d/x warn;", "error_log is not allowed"),
        ("pid @@pid_file@@", "pid /etc/x", "pid is not allowed"),
        ("temp/proxy;", "files/../../..;", "proxy_temp_path is not allowed"),
        ("<http>", "include /etc/passwd;", "include is not allowed"),
        ("<http>", "include @@folder@@/upstreams.conf.d/*;", "include is not allowed"),
        ("<http>", "init_by_lua_block { os.execute('id') }", "only built-in parts may run Lua"),
        ("<http>", "init_by_lua_block { ngxlab_answer = string.rep(\"x\", 1) os.execute('id') }", "may run Lua"),
        ("<http>", "init_by_lua_block { ngxlab_answer = string.rep(\"x\", 1--) }\n) }", "may run Lua"),
        ("<http>", "init_by_lua_block x { ngxlab_answer = string.rep(\"x\", 1) }", "may run Lua"),
        ("<http>", "init_by_lua 'x';", "init_by_lua is not allowed"),
        ("<http>", GROUP.replace("0.0.0.1", "10.0.0.1"), "only declared upstream servers are allowed"),
        ("<http>", GROUP.replace("('g')", "('g' .. os.time())"), "only built-in parts may run Lua"),
        ("<http>", "server { listen 10.0.0.1:80; }", "10.0.0.1:80 is not a port that was chosen for it"),
        ("<http>", "server { return 200; }", "listens to no port"),
        ("<http>", "server { listen 127.0.0.1:@@status_port@@; return 200; }", "not a port that was chosen"),
        ("@@address@@:@@http_port@@", "0.0.0.0:@@http_port@@", "not a port that was chosen for it"),
        ("@@address@@:@@http_port@@", "unix:/tmp/x", "not a port that was chosen for it"),
        ("<server>", f"location / {{ {CHANGE} {LUA} }}", "content_by_lua_block is not allowed"),
        ("<server>", f"location / {{ {CHANGE} dyups_interface; }}", "dyups_interface is not allowed"),
        ("<server>", "set $ngxlab_upstream_0 10.0.0.1; location / { proxy_pass http://$ngxlab_upstream_0; }", "own"),
        ("<http>", "map $arg_x $ngxlab_upstream_0 { default 10.0.0.1; }", "this name is ngxlab's own"),
        ("<server>", "ssl_certificate /etc/x;", "ssl_certificate is not allowed"),
        ("<server>", "mirror /../elsewhere;", "mirror: must be off or a fixed path"),
        ("<http>", "upstream u { @@upstream.other@@ }", "@@upstream.other@@ does not exist here"),
        ("proxy_ignore_headers X-Accel-Redirect;\n", "", "proxy_ignore_headers X-Accel-Redirect is missing"),
        ("fastcgi_ignore_headers X-Accel-Redirect;\n", "", "fastcgi_ignore_headers X-Accel-Redirect is missing"),
        ("grpc_ignore_headers X-Accel-Redirect;\n", "", "grpc_ignore_headers X-Accel-Redirect is missing"),
    ],
)  # fmt: skip
def test_what_only_a_taken_over_backend_would_send(old: str, new: str, said: str) -> None:
    assert old in SKELETON
    family = said.partition("_")[0]
    asked = "http://app" if family == "proxy" else "app"
    passing = f"location / {{ {family}_pass {asked}; }}" if "missing" in said else ""
    text = SKELETON.replace(old, new).replace("<server>", passing).replace('{{ servers("app") }}', "@@upstream.app@@")
    for name in FRAGMENTS:
        text = text.replace(f"<{name}>", "")
    found = problems(text, AROUND)
    assert any(said in problem for problem in found), found
