"""An nginx that passes on connections: its configuration is within the same walls as one that serves HTTP."""

from typing import Any

import pytest
from definition.test_protocols import definition
from ngxlab.definition.nginx.config import nginx_modules, render
from ngxlab.definition.validation import require, validate
from ngxlab_policy.document import Surroundings, problems

APP = 'upstream app {\n    least_conn;\n    {{ servers("app") }}\n}'
TCP = {"tcp": True, "http": APP, "server": "proxy_pass app;\nproxy_timeout 3s;", "listen_options": "reuseport"}
AROUND = Surroundings(frozenset({"app"}))


def raw(**nginx: Any) -> dict[str, Any]:
    app = {"key": "app", "slot": "upstream", "instances": 2, "behaviour": {"kind": "sink"}}
    return definition(TCP | nginx) | {"upstream_servers": [app]}


def rendered(**nginx: Any) -> str:
    sound = require(raw(**nginx))
    return render(sound, sound.arms[0])


def test_the_server_under_test_is_one_of_stream() -> None:
    text = rendered()
    _, http, stream = text.partition("http {")[0], *text.partition("http {")[2].split("\nstream {")
    assert "stub_status" in http
    assert "proxy_pass" not in http
    assert "listen @@address@@:@@http_port@@ reuseport;" in stream
    assert "@@upstream.app@@" in stream
    assert text.startswith("@@modules@@\n")
    assert nginx_modules(require(raw()).nginx) == ["stream_module"]
    assert problems(text, AROUND) == []
    assert problems(rendered(tls=True), AROUND) == []


@pytest.mark.parametrize(
    ("nginx", "said"),
    [
        ({"server": "proxy_pass db.example.org:3306;"}, "must be the name of an upstream"),
        ({"server": "proxy_pass http://app;"}, "must be the name of an upstream"),
        ({"server": "proxy_pass $remote_addr;"}, "must be the name of an upstream"),
        ({"server": "proxy_pass unix:/run/docker.sock;"}, "must be the name of an upstream"),
        ({"server": "listen 1;"}, "listen is not allowed"),
        ({"server": "location / { }"}, "location is not allowed"),
        ({"server": "proxy_pass app; ssl_certificate /etc/x;"}, "ssl_certificate is not allowed"),
        ({"server": "proxy_pass app; proxy_protocol on;"}, "proxy_protocol is not allowed"),
        ({"http": "upstream app { server 10.0.0.1:3306; }"}, "only declared upstream servers are allowed"),
        ({"http": f"{APP} resolver 10.0.0.1;"}, "resolver is not allowed"),
        ({"http": f"{APP} include /etc/passwd;"}, "include is not allowed"),
        ({"http": f"{APP} access_log /etc/x basic;"}, "access_log is not allowed"),
        ({"listen_options": "http2"}, "http2 is not an allowed option"),
        ({"listen_options": "udp"}, "udp is not an allowed option"),
        ({"request_times": True}, "nginx sees no requests"),
    ],
)
def test_refused(nginx: dict[str, Any], said: str) -> None:
    found = validate(raw(**nginx)).problems
    assert any(said in problem.message for problem in found), found


def test_http_has_none_of_it() -> None:
    found = validate(raw(tcp=False)).problems
    assert any("proxy_timeout is not allowed" in problem.message for problem in found), found
    found = validate(raw(tcp=False, main="stream { }")).problems
    assert any("switch on nginx.tcp" in problem.message for problem in found), found


SERVER = "listen @@address@@:@@http_port@@ reuseport;"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (SERVER, "listen 10.0.0.1:80;", "10.0.0.1:80 is not a port that was chosen for it"),
        (SERVER, "", "it listens to no port"),
        (SERVER, f"{SERVER} access_log off;", "access_log is not allowed"),
        (SERVER, "listen 127.0.0.1:@@status_port@@;", "@@status_port@@ is not a port that was chosen for it"),
        ("proxy_pass app;", "proxy_pass ldap;", "must be the name of an upstream"),
        (
            "location = /stub_status { stub_status; }",
            "location = /stub_status { stub_status; } location / { proxy_pass http://app; }",
            "there is no upstream app",
        ),
        ("\nstream {", "\nstream x {", "stream is not allowed in main"),
    ],
)
def test_an_agent_refuses_what_the_backend_would_not_write(old: str, new: str, said: str) -> None:
    text = rendered()
    assert old in text
    found = problems(text.replace(old, new), AROUND)
    assert any(said in problem for problem in found), found
