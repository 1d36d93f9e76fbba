"""Configurations of somebody's own become sound experiments, line by line, and nothing is done silently."""

from dataclasses import replace
from pathlib import Path

import pytest
from configurations.own_configurations import NAMES, build, converted, files, refusal
from definition.sentences import unlisted
from ngxlab.configurations.conversion import Build, Choices, Converted, convert
from ngxlab.configurations.experiment import of_one
from ngxlab.configurations.made import lines
from ngxlab.configurations.sound import settle
from ngxlab.core.errors import Invalid
from ngxlab.definition.nginx.config import render
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import validate
from ngxlab_policy.document import Surroundings, problems
from ngxlab_policy.owner import Leave


def definition_of(made: Converted) -> Definition:
    return of_one("mine.conf", made).definition


def said(made: Converted, text: str) -> tuple[str, str, list[str]]:
    """For the first line that begins so: what became of it, why, and what stands there now."""
    record = next(one for one in made.records if one.text.startswith(text))
    return record.action, str(record.reason or ""), record.becomes


@pytest.mark.parametrize("name", NAMES)
def test_it_is_sound_and_nginx_takes_it(name: str, tmp_path: Path) -> None:
    definition = definition_of(converted(files(name)))
    assert validate(definition.model_dump(mode="json")).problems == []
    servers = frozenset(one.key for one in definition.upstream_servers)
    assert problems(render(definition, definition.arms[0]), Surroundings(servers)) == []
    assert refusal(definition, tmp_path) == ""


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_done_silently(name: str) -> None:
    """Each directive is accounted for: it stands there, or its record says why not."""
    made = converted(files(name))
    standing = {id(one.record) for block in made.parts.values() for _, one in lines(block)}
    for record in made.records:
        if record.text in {"http", "events", "server"}:
            continue
        if record.action == "kept":
            assert id(record) in standing, record
            assert any(line.rstrip(" {;").startswith(record.text.split()[0]) for line in record.becomes), record
        else:
            assert record.reason, record
            assert (id(record) in standing) <= (record.action == "replaced"), record


def test_a_site_of_scripts() -> None:
    made = converted(files("blog.conf"))
    assert (made.tls, made.listen_options, made.host) == (True, "", "blog.example.org")
    assert said(made, "return 301")[:2] == ("dropped", "it belongs to a server block that gets no load")
    assert said(made, "root")[2] == ["default_type text/html;", "root @@folder@@/files;"]
    assert said(made, "try_files $uri $uri/")[2] == ["try_files $uri $uri/ /index.php?$args;"]
    assert said(made, "fastcgi_pass")[2][-1] == "fastcgi_pass unix-php8-2-fpm;"
    assert said(made, "fastcgi_buffers")[2] == ["fastcgi_buffers 16 16k;"]
    assert said(made, "access_log")[2] == ["access_log @@folder@@/access.log;"]
    assert said(made, "include fastcgi_params")[1] == "the contents of nginx's own fastcgi_params stand here"
    assert [(one.key, one.protocol, one.tls) for one in made.upstreams] == [("unix-php8-2-fpm", "fastcgi", False)]
    assert made.path == "/page", "no file, so that a script answers"
    [stream] = definition_of(made).streams
    assert stream.headers == {"Host": "blog.example.org", "Accept-Encoding": "gzip, deflate, br"}


@pytest.mark.parametrize("told", ["", "default_type text/css;", "default_type application/octet-stream;"])
def test_files_that_are_made_are_pages_unless_their_type_is_told(told: str) -> None:
    """They have no extension, so that nginx would call them text/plain."""
    made = converted({"nginx.conf": f"events {{}} http {{ {told} server {{ listen 80; root /srv; }} }}"})
    types = [one.args[0] for part in made.parts.values() for one in part if one.name == "default_type"]
    assert types == ["text/css" if "css" in told else "text/html"]


def test_groups_of_upstream_servers() -> None:
    made = converted(files("social.conf"))
    assert {one.key: (one.instances, one.tls) for one in made.upstreams} == {
        "backend-web": (2, False),
        "streaming": (1, False),
    }
    assert said(made, "server 127.0.0.1:3000")[2] == ["@@upstream.backend-web:instance=1,fail_timeout=0,weight=3@@"]
    assert said(made, "server unix:")[2] == ["@@upstream.backend-web:instance=2,backup@@"]
    assert said(made, "proxy_pass http://Backend.web")[2] == ["proxy_pass http://backend-web;"]
    assert said(made, "proxy_cache_path")[2][0].startswith("proxy_cache_path @@folder@@/cache levels=1:2")
    assert said(made, "proxy_set_header Authorization")[0] == "kept", "masked as it came"


def test_files_and_an_api() -> None:
    made = converted(files("spa.conf"), Choices(workers=3))
    assert (made.workers, made.connections, made.asks_workers) == (3, 4096, True)
    assert made.listen_options == "reuseport backlog=4096"
    assert said(made, "brotli on")[:2] == ("dropped", "nginx 1.22.1 does not have it")
    assert "the server of http gets the load" in said(made, "stream")[1]
    assert said(made, "access_log /var")[2] == ["access_log @@folder@@/access.log main buffer=32k flush=5s;"]
    assert said(made, "proxy_pass $api")[2][-1] == "proxy_pass https://api-internal-example-org$request_uri;"
    assert [one.tls for one in made.upstreams] == [True]
    assert said(made, "try_files $uri $uri/ /index.html")[2] == ["try_files $uri $uri/ /site/0;"]
    assert said(made, "alias")[2] == ["root @@folder@@/files;"]
    assert made.path == "/site/{n}"
    assert made.serves_files


def test_what_refers_to_nothing_is_left_out() -> None:
    made = converted(files("limits.conf"))
    assert said(made, "limit_req zone=per_ip")[0] == "kept"
    assert said(made, "limit_req zone=elsewhere")[:2] == ("dropped", "nothing defines elsewhere here")
    assert said(made, "if ($bad_bot)")[:2] == ("dropped", "nothing gives the variable bad_bot a value here")
    assert said(made, "proxy_read_timeout")[1] == "${PROXY_TIMEOUT} is to be filled in before nginx reads it"
    assert "it cannot test files" in said(made, "if (-f")[1]
    assert said(made, "auth_basic_user_file")[2] == ["auth_basic_user_file @@folder@@/htpasswd;"]
    [stream] = definition_of(made).streams
    assert stream.headers["Authorization"] == "Basic bmd4bGFiOm5neGxhYg=="
    assert said(made, "proxy_ignore_headers")[2] == ["proxy_ignore_headers Set-Cookie X-Accel-Redirect;"]
    assert said(made, "grpc_pass")[2][-1] == "grpc_pass grpc://backend-50051;"


def test_what_the_list_refuses_is_said_in_sentences_without_calls() -> None:
    made = converted({"nginx.conf": "http { server { location / { server { return 200; } grpc_pass 10.0.0.1:1; } } }"})
    reasons = {one.text.split()[0]: one.reason for one in made.records if one.action == "dropped"}
    assert "servers of an upstream come from declared upstream servers" in str(reasons["server"])
    assert all(list(unlisted(reason)) == [] for reason in reasons.values() if reason is not None)


def test_code_is_left_out_with_its_braces() -> None:
    made = converted(files("lua.conf"))
    assert said(made, "access_by_lua_block")[:2] == ("dropped", "only built-in parts may run code")
    assert said(made, "content_by_lua_block { … }")[0] == "dropped"
    assert "nothing is resolved" in said(made, "server app.example.org")[1]
    assert said(made, "server 10.1.0.3")[2] == ["@@upstream.workers:instance=3,max_conns=5@@"]
    assert said(made, "location /hello")[0] == "kept"


def test_the_output_of_nginx_t_is_its_files() -> None:
    made = converted(files("dump.conf"))
    assert (made.workers, made.asks_workers) == (4, False)
    assert said(made, "proxy_connect_timeout")[0] == "kept"
    assert {record.file for record in made.records} == {
        "/etc/nginx/nginx.conf",
        "/etc/nginx/conf.d/a.conf",
        "/etc/nginx/snippets/proxy.conf",
    }
    assert [record.line for record in made.records if record.text == "listen 80"] == [2]


def test_an_included_file_is_found_where_it_lies() -> None:
    texts = {
        "nginx.conf": "http { include /etc/nginx/mime.types; include /etc/nginx/conf.d/*.conf; }",
        "conf.d/b.conf": "server { listen 81; location / { return 204; } }",
        "conf.d/.hidden.conf": "nonsense",
        "other/c.conf": "nonsense",
    }
    made = converted(texts)
    assert said(made, "include /etc/nginx/conf.d")[:2] == ("replaced", "the contents of conf.d/b.conf stand here")
    assert said(made, "include /etc/nginx/mime.types")[1] == "the contents of nginx's own mime.types stand here"


def test_the_server_that_gets_the_load_may_be_chosen() -> None:
    text = "".join(f"server {{ listen 80; server_name s{n}.example.org; return 200 {n}; }}\n" for n in range(3))
    text += "server { listen 80 default_server; return 444; }"
    made = converted({"a.conf": text + "server { server_name x; location / { return 200 x; } location /y { } }"})
    assert set(made.servers) == {0, 1, 2, 3, 4} - {n for n in range(4) if n not in made.servers}
    assert made.server == 4
    chosen = converted({"a.conf": text}, Choices(server=1))
    assert said(chosen, "server_name s1")[0] == "kept"
    assert said(chosen, "server_name s0")[0] == "dropped"
    with pytest.raises(Invalid, match="There is no server block 9"):
        converted({"a.conf": text}, Choices(server=9))


def test_logs_of_http_are_the_servers_too() -> None:
    """In http, they would be of all servers of an experiment."""
    http = "http {{ {} server {{ listen 80; {} location / {{ return 204; }} }} }}"
    for in_http, in_server, expected in (
        ("access_log logs/a.log;", "", "access_log @@folder@@/access.log;"),
        ("", "", "access_log @@folder@@/access.log;"),
        ("access_log off;", "", "access_log off;"),
        ("access_log logs/a.log;", "access_log off;", "access_log off;"),
    ):
        made = converted({"nginx.conf": http.format(in_http, in_server)})
        written = [line for line, one in lines(made.parts["server"]) if one.name == "access_log"]
        assert written == [expected], (in_http, in_server)
        assert not [one for one in made.parts["http"] if one.name == "access_log"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"a.conf": "server { listen 80;"}, "a.conf, line 1: the block of server is not closed"),
        ({"a.conf": "\nserver { {{ x }} }"}, 'a.conf, line 2: unexpected "{"'),
        ({"a.conf": "x 1;"}, "This is no configuration of a server"),
        ({"a.conf": ""}, "This is no configuration of a server"),
        (
            {"nginx.conf": "http { include b.conf; }", "b.conf": "\nserver {"},
            "b.conf, line 2: the block of server is not closed",
        ),
    ],
)
def test_what_nginx_could_not_read_says_where(texts: dict[str, str], message: str) -> None:
    with pytest.raises(Invalid) as raised:
        converted(texts)
    assert message in str(raised.value)


@pytest.mark.parametrize("odd", ["include '';", "location / { try_files; }", "location = / { try_files; }"])
def test_what_nginx_would_refuse_for_its_words_stops_nothing(odd: str) -> None:
    made = converted({"a.conf": f"server {{ listen 80; {odd} location /a {{ return 204; }} }}"})
    assert ("/a",) in [one.args for one in made.parts["server"] if one.name == "location"]


def test_a_group_without_a_name_is_left_out() -> None:
    made = converted({"a.conf": "upstream {} server { listen 80; return 204; }"})
    assert "upstream" not in [one.name for one in made.parts["http"]]
    assert list(made.upstreams) == []


def test_what_the_load_does_not_speak_is_left_out() -> None:
    """A result is void where nginx offers a version of HTTP that no stream asks for."""
    made = converted({"a.conf": "server { listen 443 ssl http2 reuseport; http2 on; http3 on; return 204; }"})
    assert made.listen_options == "reuseport"
    assert said(made, "http2 on")[:2] == said(made, "http3 on")[:2]
    assert "the load speaks HTTP/1.1" in said(made, "http2 on")[1]
    assert said(made, "listen 443")[1] == "ngxlab listens on a port of its own, without http2"
    behind = converted({"a.conf": "server { listen 80 default_server proxy_protocol backlog=99; return 204; }"})
    assert said(behind, "listen 80")[1] == "ngxlab listens on a port of its own, without proxy_protocol"
    assert behind.listen_options == "backlog=99"


def test_a_build_has_what_its_version_and_its_modules_have() -> None:
    text = "server { listen 80; brotli on; max_headers 9; aio threads; return 204; }"
    actions = {}
    for other in (None, Build.of("nginx/1.22.1", ["--with-threads"]), Build.of("nginx/1.31.0", [])):
        made = convert({"a.conf": text}, Choices(), other)
        settle(made)
        actions[other and other.text] = [said(made, name)[0] for name in ("brotli", "max_headers", "aio")]
    assert actions == {
        None: ["kept", "kept", "kept"],
        "1.22.1": ["dropped", "dropped", "kept"],
        "1.31.0": ["dropped", "kept", "dropped"],
    }


def test_what_the_owner_of_the_host_allows_is_kept() -> None:
    text = "http { server { listen 80; more_set_headers 'A: b'; js_import m from /etc/code/m.js; return 200; } }"
    plain = converted({"a.conf": text})
    assert said(plain, "more_set_headers")[0] == "dropped"
    leave = Leave(("more_*", "js_*"), ("/etc/code",))
    made = convert({"a.conf": text}, Choices(), replace(build(), leave=leave))
    settle(made)
    assert (said(made, "more_set_headers")[0], said(made, "js_import")[0]) == ("kept", "kept")
    assert definition_of(made).nginx.allow_directives == "js_import more_set_headers"
    assert definition_of(plain).nginx.allow_directives == ""
    made = convert({"a.conf": text}, Choices(), replace(build(), leave=Leave(("js_*",))))
    settle(made)
    assert "does not name /etc/code/m.js" in said(made, "js_import")[1]


STREAM = """
events {}
stream {
    log_format basic '$remote_addr';
    upstream db { least_conn; server db-1:3306 weight=2; server db-2:3306; }
    server { listen 53 udp; proxy_pass dns:53; }
    server {
        listen 3306 so_keepalive=on;
        proxy_connect_timeout 1s;
        proxy_timeout 3s;
        access_log /var/log/nginx/db.log basic;
        proxy_pass db;
    }
}
"""


def test_a_configuration_of_stream_alone_passes_on_connections(tmp_path: Path) -> None:
    made = converted({"nginx.conf": STREAM})
    assert (made.tcp, made.path, made.listen_options) == (True, "/", "so_keepalive=on")
    assert said(made, "proxy_pass db")[:2] == ("kept", "")
    assert said(made, "server db-1")[2] == ["@@upstream.db:instance=1,weight=2@@"]
    assert said(made, "proxy_pass dns")[0] == "dropped"
    assert said(made, "access_log")[0] == "dropped"
    definition = definition_of(made)
    assert validate(definition.model_dump(mode="json")).problems == []
    text = render(definition, definition.arms[0])
    assert "stream {" in text
    assert problems(text, Surroundings(frozenset({"db"}))) == []
    assert refusal(definition, tmp_path) == ""


def test_what_passes_on_udp_alone_is_no_experiment() -> None:
    with pytest.raises(Invalid, match="no UDP"):
        converted({"nginx.conf": "events {} stream { server { listen 53 udp; proxy_pass dns:53; } }"})
