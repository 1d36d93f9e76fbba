"""No configuration that passes makes nginx open a file outside of the trial's files; what nginx does decides."""

from pathlib import Path

import pytest
from definition.definitions import sound
from definition.rendered_nginx import RenderedNginx, running
from definition.test_nginx_policy import violations_of
from ngxlab.definition.nginx.config import render
from ngxlab.definition.validation import require
from ngxlab_policy.syntax import parse

SECRET = b"not yours"
XACCEL_IGNORED = "proxy_ignore_headers X-Accel-Redirect;"

ESCAPES = [
    # what was put together, and what a client asks for to get the secret beside the files
    ("location = /lic { rewrite ^ ./ break; try_files /.${uri}secret =404; }", "/lic"),
    ("location = /lic { rewrite ^ /. break; try_files ${uri}./secret =404; }", "/lic"),
    ("location = /lic { try_files /none /.; } location = /. { try_files $uri./secret =404; }", "/lic"),
    ("location = /lic { return 404; error_page 404 /.; } location = /. { try_files $uri./secret =404; }", "/lic"),
    ("location / { try_files $uri./secret =404; } location = /lic { try_files /none /.?x; }", "/lic"),
    ("location / { try_files /none $uri; } location ~ /..$ { try_files $uri/secret =404; }", "/..%3Fx"),
    ("location /x { alias @@folder@@/files/; }", "/x../secret"),
    ("location ^~ /x { alias @@folder@@/files/; }", "/x../secret"),
    ("location ^~/x { alias @@folder@@/files/; }", "/x../secret"),
    ('location "/x" { alias @@folder@@/files/; }', "/x../secret"),
    ("location /y { location /y/x { alias @@folder@@/files/; } }", "/y/x../secret"),
    ("location /x { alias @@folder@@/files/; location ~ t$ { access_log off; } }", "/x../secret"),
    # what captures put together
    ("location /a { rewrite ^/a(.*)$ /$1 break; }", "/a../secret"),
    (r"location / { rewrite ^/(\.)x(\.)/(.*)$ /$1$2/$3 break; }", "/.x./secret"),
    (r"location / { rewrite ^/x(\d*)$ /.$1./secret break; }", "/x"),
    ("location / { rewrite ^/x([--9]+)y$ /$1/secret break; }", "/x..y"),
    ("location /a/ { rewrite ^/a/(.*)$ /$1 last; } location / { try_files $uri/secret =404; }", "/a/..%0A"),
]


@pytest.mark.parametrize("text", [text for text, _ in ESCAPES])
def test_ways_out_are_refused(text: str) -> None:
    assert violations_of({"server": text})


@pytest.mark.parametrize(
    "text",
    [
        "rewrite ^ permanent;",
        "rewrite ^ x break;",
        "rewrite ^ /a/./b last;",
        "rewrite ^ /.?x last;",
        "rewrite ^ http://$host/ ;",
        "error_page 404 ./x;",
        "error_page 404 =200 /a/.;",
        "index /.;",
        "index ./x;",
        "index .;",
        "try_files $uri. =404;",
        "try_files /.$uri =404;",
        "try_files $uri$URI =404;",
        "try_files $uri $uri;",
        "try_files $uri /..;",
        "root @@folder@@/files/.;",
        "root @@folder@@/files/a/./b;",
        "location /x/ { alias @@folder@@/files; }",
    ],
)
def test_dots_in_parts_are_refused(text: str) -> None:
    assert violations_of({"server": text})


ALLOWED = """
root @@folder@@/files;
location = /one { alias @@folder@@/files/a.txt; }
location /d/ { alias @@folder@@/files/data/; try_files $uri $uri/ =404; }
location ^~ /e/ { alias @@folder@@/files/; }
location ~ ^/r { alias @@folder@@/files/a.txt; }
location /t { try_files $uri $uri.html $uri/index.html /.well-known/$uri /a.txt; }
location /q { try_files /none /a.txt?$args; }
location ~ ^/c/(?<query>.*)$ { try_files /none /a.txt?$query; }
location /rw { rewrite ^ /a.txt last; }
location /old { rewrite ^/old/(.*)$ /new/$1 redirect; }
location /all/ { rewrite (?s)^/all/(.*)$ /$1 break; }
location /deep/ { rewrite (?s)^/deep(/.*)$ /d$1 last; }
location /each/ { rewrite ^/each/([^/]+)/([^/]+)$ /$2/$1 last; }
location /html/ { rewrite ^/html/(.*)$ /e/$1.txt last; }
error_page 404 =200 /a.txt;
error_page 403 https://example.org/;
"""
_PARTS = ("one", "d", "e", "r", "t", "q", "q?", "c", "c/?", "rw", "old", "none", "all", "deep", "each", "html")
_TAILS = (
    "../secret", "/../secret", "/..%2fsecret", "/%2e%2e/secret", "..%2fsecret", "/..%3Fx", "/.%3F", "/.", "/..",
    "/a/../../secret", "/..%5csecret", "%2f..%2f..%2fsecret", "/%2e%2e%2f%2e%2e%2fsecret", "//../secret",
    "/..%0A", "/..%0A/secret", "/x/..%0A", "/../../secret%0A", "/secret/..", "/secret/..%0A",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "files" / "data").mkdir(parents=True)
    (tmp_path / "files" / "a.txt").write_bytes(b"yours")
    (tmp_path / "secret").write_bytes(SECRET)
    return tmp_path


def _started(folder: Path, server: str) -> str:
    return (
        "events {}\npid @@pid_file@@;\nerror_log @@error_log@@;\n"
        "http {\naccess_log off;\nserver {\nlisten 127.0.0.1:@@status_port@@;\n}\n"
        f"server {{\nlisten 127.0.0.1:@@port.1@@;\nroot @@folder@@/files;\n{server}\n}}\n}}\n"
    )


def _bodies(nginx: RenderedNginx, paths: list[str]) -> list[bytes]:
    return [nginx.ask(path)[1] for path in paths]


@pytest.mark.parametrize(("server", "path"), ESCAPES)
def test_the_ways_out_are_ways_out(folder: Path, server: str, path: str) -> None:
    """As long as nginx does it, the rule is needed."""
    with running(folder, _started(folder, server)) as nginx:
        assert SECRET in _bodies(nginx, [path])


def test_what_passes_leads_nowhere_else(folder: Path) -> None:
    assert violations_of({"server": ALLOWED}) == []
    config = _started(folder, ALLOWED.replace("root @@folder@@/files;", "", 1))
    paths = [f"/{part}{tail}" for part in _PARTS for tail in _TAILS]
    with running(folder, config) as nginx:
        bodies = _bodies(nginx, paths)
        assert _bodies(nginx, ["/one", "/e/a.txt", "/rw", "/r", "/t/none", "/q?x", "/c/x"]) == [b"yours"] * 7
    assert not [path for path, body in zip(paths, bodies, strict=True) if SECRET in body]


_FORWARDS = "location = /lic { proxy_pass http://app; }\nlocation / { try_files $uri$uri/secret $uri/secret =404; }"
_SENT_BACK = "add_header X-Accel-Redirect /..?x;\nlocation / { return 200 x; }"


@pytest.mark.parametrize(("ignores", "leads_out"), [("", True), (XACCEL_IGNORED, False)])
def test_an_upstream_server_cannot_send_a_request_elsewhere(folder: Path, ignores: str, leads_out: bool) -> None:
    """nginx overlooks the dots of ``/..?x`` in X-Accel-Redirect, which is why no configuration heeds that header."""
    config = _started(folder, _FORWARDS).replace("access_log off;", f"access_log off;\n{ignores}", 1)
    config = config.replace("@@status_port@@;\n", f"@@status_port@@;\n{_SENT_BACK}\n", 1)
    upstream = "upstream app { server 127.0.0.1:@@status_port@@; }"
    with running(folder, config.replace("http {\n", f"http {{\n{upstream}\n", 1)) as nginx:
        assert (SECRET in _bodies(nginx, ["/lic"])) == leads_out


def test_every_configuration_ignores_x_accel_redirect() -> None:
    definition = require(sound())
    (http,) = [
        d
        for d in parse(render(definition, definition.arms[0]).replace("@@upstream.app@@", ""))
        if d.block and d.name == "http"
    ]
    assert XACCEL_IGNORED in [f"{d.name} {' '.join(d.args)};" for d in http.block or ()]
    assert violations_of({"server": "proxy_ignore_headers Set-Cookie;"})
    assert violations_of({"server": "proxy_ignore_headers Set-Cookie X-Accel-Redirect;"}) == []
