"""The logs that nginx writes: those of the definition, and those by which ngxlab counts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from definition.rendered_nginx import running
from definition.test_nginx_document import AROUND
from ngxlab.definition.nginx.config import Phases, render, without_served
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import require
from ngxlab_policy.document import problems

TLS_LOG = "access_log @@folder@@/tls.log"
SERVING = {
    "workers": 1,
    "worker_connections": 64,
    "events": "worker_aio_requests {{ n + 32 }};",
    "server": "location / { return 200 ok; }",
}
OWN = "access_log @@folder@@/access.log;"


def rendered(nginx: Mapping[str, Any], phases: Phases | None = None, **stream: object) -> str:
    """The configuration of the first of two arms, which a host accepts."""
    levels = [{"key": key, "label": key, "variables": {"n": n}} for n, key in enumerate(("a", "b"))]
    definition: Definition = require(
        {
            "question": "What does it cost?",
            "factors": [{"key": "f", "label": "f", "levels": levels}],
            "design": {"kind": "matrix"},
            "baseline": "a",
            "nginx": {**SERVING, **nginx},
            "plan": {"blocks": 3, "warmup_s": 1, "measure_s": 10},
            "streams": [{"key": "main", "engine": "wrk", "threads": 1, "connections": 4, "path": "/"} | stream],
        }
    )
    text = render(definition, definition.arms[0], phases)
    assert problems(text, AROUND) == []
    return text


@pytest.mark.parametrize(("field", "written"), [("http", True), ("server", True), ("main", False)])
def test_a_log_of_the_definition_is_written_wherever_it_stands(tmp_path: Path, field: str, written: bool) -> None:
    place = {field: OWN} if written else {}
    text = rendered({"server": f"{place.pop('server', '')} location / {{ return 200 ok; }}", **place})
    with running(tmp_path, text) as nginx:
        assert nginx.ask("/") == (200, b"ok")
    log = tmp_path / "access.log"
    assert (log.exists() and "GET / HTTP/1.1" in log.read_text()) is written


SIZED = "map_hash_bucket_size 256; map $uri $known { default 1; }"
"""nginx refuses a size of maps that comes behind the first map."""


def test_a_definition_may_size_its_maps_beside_those_of_the_logs(tmp_path: Path) -> None:
    with running(tmp_path, rendered({"http": SIZED}, "whole")) as nginx:
        assert nginx.ask("/") == (200, b"ok")
    assert (tmp_path / "phases.log").read_text().count("\n") == 1
    text = rendered({"http": SIZED, "tls": True}, keep_alive=False)
    assert text.index("map_hash_bucket_size") < text.index("map $connection_requests")


@pytest.mark.parametrize(
    ("nginx", "stream", "is_counted"),
    [
        ({"tls": True}, {"keep_alive": False}, True),
        ({"tls": True, "http": "ssl_session_cache shared:s:1m;"}, {}, True),
        ({"tls": True, "http": "keepalive_requests 10;"}, {}, True),
        ({"tls": True}, {}, False),
        ({}, {"keep_alive": False}, False),
    ],
)
def test_handshakes_are_counted_where_connections_may_be_opened_anew(
    nginx: Mapping[str, Any], stream: Mapping[str, Any], is_counted: bool
) -> None:
    text = rendered(nginx, **stream)
    assert (TLS_LOG in text) is is_counted
    assert ("error_log @@error_log@@ info;" in text) is ("tls" in nginx)
    assert text.count("access_log off;") == (1 if is_counted else 2)


def test_times_of_requests_and_handshakes_are_logged_side_by_side() -> None:
    text = rendered({"tls": True, "request_times": True}, keep_alive=False)
    assert TLS_LOG in text
    assert "access_log @@folder@@/access.log ngxlab buffer" in text
    assert text.count("access_log off;") == 1


def test_an_older_agent_is_given_the_times_alone(tmp_path: Path) -> None:
    text = rendered({"request_times": True, "http": "gzip on; open_file_cache max=9;"})
    assert "$status $pid $ngxlabcache $gzip_ratio $body_bytes_sent'" in text
    older = without_served(text)
    assert "log_format ngxlab '$msec $request_time $upstream_response_time $status';" in older
    assert without_served(older) == older
    with running(tmp_path, older) as nginx:
        assert nginx.ask("/") == (200, b"ok")
    plain = rendered({"request_times": True})
    assert "$status $pid 0 - $body_bytes_sent'" in plain
