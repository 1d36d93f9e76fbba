"""Streams whose connections are WebSockets: what hosts are told, and what cannot be."""

from typing import Any

import pytest
from definition.definitions import sound
from ngxlab.analysis import first_answers
from ngxlab.definition.nginx.upstream_server import upstream_server_spec
from ngxlab.definition.resolve import resolve
from ngxlab.definition.validation import require, validate
from ngxlab_contracts.answers import FirstAnswer
from ngxlab_contracts.protocol import Protocol, needed
from ngxlab_contracts.streams import UPGRADE

PASSES = """location / {
    proxy_pass http://app;
    proxy_http_version 1.1;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection upgrade;
    proxy_read_timeout {{ seconds }}s;
}"""
ECHO = {"kind": "echo", "delay_ms": "{{ seconds }}"}


def definition(stream: dict[str, Any] | None = None, **server: Any) -> dict[str, Any]:
    """Two arms that differ in a number."""
    raw = sound()
    levels = [{"key": f"s{n}", "label": str(n), "variables": {"seconds": n, "version": "http/2"}} for n in (1, 60)]
    one = {"key": "chat", "engine": "open-loop", "connections": 10, "open_loop": {"rate_per_s": 5}}
    return raw | {
        "factors": [{"key": "timeout", "label": "timeout", "levels": levels}],
        "design": {"kind": "matrix"},
        "baseline": "s1",
        "nginx": {
            "workers": 1,
            "worker_connections": 64,
            "http": 'upstream app { {{ servers("app") }} }',
            "server": PASSES,
        },
        "upstream_servers": [{"key": "app", "slot": "upstream", "behaviour": ECHO, **server}],
        "streams": [{**one, "websocket": {"message_bytes": "{{ 10 * seconds }}"}, **(stream or {})}],
        "perturbations": [],
        "thresholds": [],
        "placement": "auto",
        "plan": raw["plan"] | {"primary": []},
    }


def test_hosts_are_told_of_messages_and_of_who_sends_them_back() -> None:
    sound_one = require(definition(workers=3))
    arm = resolve(sound_one, sound_one.arm("s60"))
    (stream,) = arm.streams
    assert stream.websocket is not None
    assert stream.websocket.message_bytes == 600
    assert needed(stream) == Protocol(2, 8)
    assert stream.asked_headers == dict(UPGRADE)
    assert stream.expects(101)
    assert not stream.expects(200)
    server = upstream_server_spec(sound_one, sound_one.upstream_servers[0], sound_one.arm("s60"), binary="nginx")
    assert server.responder is not None
    assert (server.responder.echoes, server.responder.delay_ms, server.responder.processes) == (True, 60, 3)
    assert (server.config, server.protocol, server.modules) == ("", "http", [])
    assert needed(server) == Protocol(2, 8)


WRK = {"engine": "wrk", "open_loop": None}
BROKEN: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "an engine without": (WRK, {}, "streams.0.websocket", "engine wrk holds none: use engine open-loop"),
    "closed after each": ({"keep_alive": False}, {}, "streams.0.keep_alive", "must be on: a WebSocket is held"),
    "a body": ({"method": "POST", "body": "a"}, {}, "streams.0.body", "a WebSocket carries messages"),
    "a mix": ({"requests": [{"path": "/"}]}, {}, "streams.0.requests", "a WebSocket carries messages"),
    "statuses": ({"served_statuses": [200]}, {}, "streams.0.served_statuses", "a WebSocket carries messages"),
    "slow clients": ({"client": {"read_bytes_per_s": 9}}, {}, "streams.0.client", "all but round_trip_ms"),
    "HTTP/2": ({"protocol": "http/2"}, {}, "streams.0.protocol", "must be http/1.1 with WebSocket"),
    "HTTP/2 in an arm": ({"protocol": "{{ version }}"}, {}, "streams.0.protocol", "must be http/1.1 with WebSocket"),
    "too much": ({"websocket": {"message_bytes": 2 << 20}}, {}, "streams.0.websocket.message_bytes", "not between"),
    "another protocol": ({}, {"protocol": "fastcgi"}, "upstream_servers.0.protocol", "must be http"),
    "TLS": ({}, {"tls": True}, "upstream_servers.0.tls", "must be off"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_cannot_be(case: str) -> None:
    stream, server, field, message = BROKEN[case]
    found = {problem.field: str(problem.message) for problem in validate(definition(stream, **server)).problems}
    assert message in found[field]


def test_a_distant_client_may_hold_a_websocket() -> None:
    assert validate(definition({"client": {"round_trip_ms": 20}})).problems == []


def test_a_first_answer_that_is_no_upgrade_says_what_nginx_needs() -> None:
    sound_one = require(definition())
    (stream,) = resolve(sound_one, sound_one.arm("s1")).streams
    answer = FirstAnswer(stream="chat", method="GET", path="/", status=101)
    assert first_answers.departures(answer, stream, []) == []
    (said,) = first_answers.departures(answer.model_copy(update={"status": 200}), stream, [])
    assert "status 200 instead of 101: nginx passes a WebSocket on by proxy_http_version 1.1" in str(said)
