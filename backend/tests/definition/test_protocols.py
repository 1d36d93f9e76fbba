"""What streams speak: in an arm it is one of the versions, the engine speaks it, and nginx offers it."""

from typing import Any

import pytest
from definition.definitions import sound
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.clients import TlsClient
from ngxlab.definition.validation import require, validate
from ngxlab_contracts.protocol import FIRST, needed, wire_form
from ngxlab_contracts.streams import ClientSpec


def definition(nginx: dict[str, Any], **stream: Any) -> dict[str, Any]:
    """One stream of the open-loop engine, and two arms that differ in a variable."""
    raw = sound()
    levels = [
        {"key": "old", "label": "old", "variables": {"protocol": "http/1.1", "offered": "off", "options": "reuseport"}},
        {"key": "new", "label": "new", "variables": {"protocol": "http/2", "offered": "on", "options": "http2"}},
    ]
    one = {"key": "main", "engine": "open-loop", "connections": 2, "open_loop": {"rate_per_s": 100}, **stream}
    return raw | {
        "factors": [{"key": "version", "label": "version", "levels": levels}],
        "design": {"kind": "matrix"},
        "baseline": "old",
        "nginx": {"workers": 1, "worker_connections": 64, "server": "return 200;", **nginx},
        "upstream_servers": [],
        "streams": [one],
        "perturbations": [],
        "thresholds": [],
        "placement": "auto",
        "plan": raw["plan"] | {"primary": []},
    }


HTTP2 = {"protocol": "http/2"}
OFFERED = {"listen_options": "http2"}
HTTP3 = {"protocol": "http/3"}
QUIC = {"listen_options": "quic", "tls": True}
SOUND: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "HTTP/1.1": ({}, {}),
    "HTTP/3": (QUIC, HTTP3),
    "HTTP/3, chosen TLS": (QUIC, HTTP3 | {"tls_client": {"group": "x25519", "cipher": "aes128-gcm"}}),
    "HTTP/3, as a form sends it": (QUIC, HTTP3 | {"tls_client": TlsClient(group="p-256").model_dump()}),
    "HTTP/3, a factor": (QUIC, {"protocol": "{{ 'http/3' if protocol == 'http/2' else 'http/1.1' }}"}),
    "in clear": (OFFERED, HTTP2),
    "over TLS": (OFFERED | {"tls": True}, HTTP2),
    "by the directive": ({"server": "http2 on; return 200;"}, HTTP2),
    "for all servers": ({"http": "http2 on;"}, HTTP2),
    "a factor, the stream": (OFFERED | {"tls": True}, {"protocol": "{{ protocol }}"}),
    "a factor, the listener": ({"listen_options": "{{ options }}"}, {"protocol": "{{ protocol }}"}),
    "a factor, the directive": ({"server": "http2 {{ offered }};\nreturn 200;"}, {"protocol": "{{ protocol }}"}),
}


@pytest.mark.parametrize("case", SOUND)
def test_sound(case: str) -> None:
    nginx, stream = SOUND[case]
    assert validate(definition(nginx, **stream)).problems == []


BROKEN: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "not offered": ({}, HTTP2, "streams.0.protocol", "is HTTP/2, which nginx does not offer: write http2"),
    "switched off": (
        {"http": "http2 on;", "server": "http2 off; return 200;"},
        HTTP2,
        "streams.0.protocol",
        "does not offer",
    ),
    "not spoken": (OFFERED | {"tls": True}, {}, "nginx.listen_options", "every stream speaks HTTP/1.1"),
    "not spoken, the directive": ({"server": "http2 on; return 200;"}, {}, "nginx.server", "every stream speaks"),
    "HTTP/1.1 in clear": (OFFERED, {}, "streams.0.protocol", "speaks HTTP/2 only (before nginx 1.25.1)"),
    "another engine": (
        OFFERED,
        HTTP2 | {"engine": "wrk", "open_loop": None},
        "streams.0.protocol",
        "engine wrk does not speak HTTP/2: use engine open-loop",
    ),
    "HTTP/3, not offered": ({"tls": True}, HTTP3, "streams.0.protocol", "write quic in nginx.listen_options"),
    "HTTP/3 in clear": ({"listen_options": "quic"}, HTTP3, "streams.0.protocol", "has no form without TLS"),
    "HTTP/3, no connections kept": (QUIC, HTTP3 | {"keep_alive": False}, "streams.0.keep_alive", "of HTTP/3 is kept"),
    "HTTP/3, another engine": (
        QUIC,
        HTTP3 | {"engine": "wrk", "open_loop": None},
        "streams.0.protocol",
        "engine wrk does not speak HTTP/3: use engine open-loop",
    ),
    "HTTP/3, clients far away": (QUIC, HTTP3 | {"client": {"round_trip_ms": 9}}, "streams.0.client", "not for HTTP/3"),
    "HTTP/3, sessions": (
        QUIC,
        HTTP3 | {"tls_client": {"resumed_percent": 50}},
        "streams.0.tls_client",
        "server_name, group and cipher only",
    ),
    "HTTP/3, a hybrid group": (
        QUIC,
        HTTP3 | {"tls_client": {"group": "x25519mlkem768"}},
        "streams.0.tls_client.group",
        "is not for HTTP/3",
    ),
    "no connections kept": (OFFERED, HTTP2 | {"keep_alive": False}, "streams.0.keep_alive", "must be on"),
    "unknown": (
        {},
        {"protocol": "http/0.9"},
        "streams.0.protocol",
        "must be 'http/1.1', 'http/2' or 'http/3', or an expression",
    ),
    "an unknown word": ({}, {"protocol": "{{ options }}"}, "streams.0.protocol", "is 'reuseport', not http/1.1 or"),
    "an unknown variable": ({}, {"protocol": "{{ nobody }}"}, "streams.0.protocol", "'nobody' is undefined"),
    "in one arm": (OFFERED, {"protocol": "{{ protocol }}"}, "streams.0.protocol", "(in arm old)"),
    "too many at once": (
        OFFERED,
        HTTP2 | {"requests_at_once": 1001},
        "streams.0.requests_at_once",
        "between 1 and 1000",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken(case: str) -> None:
    nginx, stream, field, said = BROKEN[case]
    problems = validate(definition(nginx, **stream)).problems
    assert [problem.field for problem in problems if said in problem.message] == [field], problems


def test_hosts_are_told_of_requests_at_once_where_they_matter() -> None:
    raw = definition({"listen_options": "{{ options }}"}, protocol="{{ protocol }}", requests_at_once=7)
    whole = require(raw)
    old, new = (resolve(whole, arm).streams[0] for arm in whole.arms)
    assert (old.protocol, old.protocol_varies, old.requests_at_once) == ("http/1.1", True, 100)
    assert (new.protocol, new.protocol_varies, new.requests_at_once) == ("http/2", True, 7)


def test_a_stream_that_says_nothing_of_it_is_as_before() -> None:
    whole = require(definition({}))
    (one,) = resolve(whole, whole.arms[0]).streams
    assert {"protocol", "protocol_varies", "requests_at_once"}.isdisjoint(wire_form(one))
    assert needed(one) == FIRST


def clients(**said: Any) -> dict[str, Any]:
    return {"tls_client": said}


def test_what_clients_bring_to_tls_may_be_a_factor_and_reaches_the_hosts() -> None:
    raw = definition({"tls": True}, **clients(resumed_percent="{{ resumed }}", version="{{ tls }}", group="x25519"))
    for level, resumed, tls in zip(raw["factors"][0]["levels"], (0, 50), ("any", "1.3"), strict=True):
        level["variables"] |= {"resumed": resumed, "tls": tls}
    sound_one = require(raw)
    brought = [resolve(sound_one, arm).streams[0].tls_client for arm in sound_one.arms]
    assert [(one.resumed_percent, one.version, one.group) for one in brought if one is not None] == [
        (0, "any", "x25519"),
        (50, "1.3", "x25519"),
    ]


@pytest.mark.parametrize(
    ("nginx", "stream", "field", "said"),
    [
        ({}, clients(version="1.3"), "tls_client", "means nothing without TLS: turn nginx.tls on"),
        (
            {"tls": True},
            clients(sessions="ids", version="1.3"),
            "tls_client.sessions",
            "TLS 1.3 has no ids of sessions",
        ),
        ({"tls": True}, clients(resumed_percent=101), "tls_client.resumed_percent", "not between 0 and 100"),
        ({"tls": True}, clients(server_name="a b"), "tls_client.server_name", "must be the name of a host"),
        (
            {"tls": True},
            {**clients(), "engine": "wrk", "open_loop": None},
            "tls_client",
            "engine wrk takes none: use engine open-loop",
        ),
    ],
)
def test_clients_of_tls_that_cannot_be(nginx: dict[str, Any], stream: dict[str, Any], field: str, said: str) -> None:
    problems = validate(definition(nginx, **stream)).problems
    assert [one.field for one in problems] == [f"streams.0.{field}"]
    assert said in problems[0].message


TAKES_EARLY = {"tls": True, "server": "ssl_early_data on; location / { return 200; }"}
EARLY = clients(early_data_percent=50, resumed_percent=100, version="1.3") | {"keep_alive": False}


def test_early_data_reaches_hosts_of_this_version() -> None:
    whole = require(definition(TAKES_EARLY, **EARLY))
    for arm in whole.arms:
        (stream,) = resolve(whole, arm).streams
        assert stream.tls_client is not None
        assert (stream.tls_client.early_data_percent, str(needed(stream))) == (50, "2.7")


def test_an_arm_without_early_data_needs_nothing_for_it() -> None:
    said = clients(early_data_percent="{{ early }}", resumed_percent="{{ resumed }}", version="{{ tls }}")
    raw = definition(TAKES_EARLY, **said, keep_alive=False)
    for level, early, resumed, tls in zip(raw["factors"][0]["levels"], (0, 100), (0, 100), ("1.2", "1.3"), strict=True):
        level["variables"] |= {"early": early, "resumed": resumed, "tls": tls}
    require(raw)


@pytest.mark.parametrize(
    ("nginx", "stream", "field", "said"),
    [
        ({"tls": True}, EARLY, "tls_client.early_data_percent", "write ssl_early_data on"),
        (TAKES_EARLY, EARLY | {"keep_alive": True}, "keep_alive", "must be off for early data"),
        (TAKES_EARLY, EARLY | {"client": {"send_bytes_per_s": 9}}, "client.send_bytes_per_s", "leave one of them out"),
        (
            TAKES_EARLY,
            {**EARLY, **clients(early_data_percent=1, resumed_percent=1, version="1.2")},
            "tls_client.version",
            "must be 1.3",
        ),
        (
            TAKES_EARLY,
            {**EARLY, **clients(early_data_percent=1, resumed_percent=1, sessions="ids")},
            "tls_client.sessions",
            "must be tickets",
        ),
        (
            TAKES_EARLY,
            {**EARLY, **clients(early_data_percent=1)},
            "tls_client.early_data_percent",
            "raise resumed_percent",
        ),
    ],
)
def test_early_data_that_cannot_be(nginx: dict[str, Any], stream: dict[str, Any], field: str, said: str) -> None:
    problems = validate(definition(nginx, **stream)).problems
    assert [one.field for one in problems] == [f"streams.0.{field}"]
    assert said in problems[0].message


def test_how_clients_behave_may_be_a_factor_and_reaches_the_hosts() -> None:
    raw = definition({}, client={"read_bytes_per_s": "{{ reads }}", "abort_percent": 5})
    for level, reads in zip(raw["factors"][0]["levels"], (1000, 1_000_000), strict=True):
        level["variables"]["reads"] = reads
    sound_one = require(raw)
    streams = [resolve(sound_one, arm).streams[0] for arm in sound_one.arms]
    assert [one.client for one in streams] == [
        ClientSpec(read_bytes_per_s=reads, abort_percent=5) for reads in (1000, 1_000_000)
    ]
    assert [str(needed(one)) for one in streams] == ["2.5", "2.5"]


@pytest.mark.parametrize(
    ("nginx", "stream", "field", "said"),
    [
        (
            {},
            {"client": {}, "engine": "wrk", "open_loop": None},
            "client",
            "engine wrk takes none: use engine open-loop",
        ),
        (
            {"listen_options": "http2"},
            HTTP2 | {"client": {"abort_percent": 5}},
            "client",
            "all but round_trip_ms is for HTTP/1.1",
        ),
        ({}, {"client": {"read_bytes_per_s": 0}}, "client.read_bytes_per_s", "not between 1 and"),
        (
            {},
            {"client": {"round_trip_ms": 500}, "timeout_s": 2},
            "timeout_s",
            "must be more than 4 round trips of 0.5 s",
        ),
        (
            {},
            {"client": {"round_trip_ms": 1}, "method": "PUT", "body_bytes": 60 << 20, "connections": 18},
            "connections",
            "at most 17 connections",
        ),
        ({}, {"client": {"abort_percent": 101}}, "client.abort_percent", "not between 0 and 100"),
    ],
)
def test_clients_that_cannot_be(nginx: dict[str, Any], stream: dict[str, Any], field: str, said: str) -> None:
    problems = validate(definition(nginx, **stream)).problems
    assert [one.field for one in problems] == [f"streams.0.{field}"]
    assert said in problems[0].message
