"""wrk's command line."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from ngxlab_contracts.streams import StreamSpec
from ngxlab_worker.engines import GeneratorError, Target
from ngxlab_worker.engines.wrk.command import established_connections, wrk_command

TARGET = Target("127.0.0.1", (8080,))


def stream(**changes: Any) -> StreamSpec:
    return StreamSpec(key="main", engine="wrk", **{"threads": 2, "connections": 10, **changes})


def option(command: tuple[str, ...], name: str) -> list[str]:
    return [value for flag, value in itertools.pairwise(command) if flag == name]


def test_the_timeout_never_deletes_slow_responses() -> None:
    assert option(wrk_command(stream(timeout_s=2), TARGET, 10), "--timeout") == ["30s"]
    assert option(wrk_command(stream(timeout_s=90), TARGET, 10), "--timeout") == ["90s"]


def test_headers_and_connection_close() -> None:
    command = wrk_command(stream(headers={"X-A": "b"}, keep_alive=False, path="/x"), TARGET, 10.2)
    assert option(command, "-H") == ["X-A: b", "Connection: close"]
    assert option(command, "-d") == ["11s"]
    assert command[-1] == "http://127.0.0.1:8080/x"
    assert option(wrk_command(stream(), TARGET, 10), "-H") == []


def test_tls_scripts_and_ipv6() -> None:
    command = wrk_command(stream(tls=True, path="/a?b"), Target("fd00::1", (8443,)), 10, Path("/t/s.lua"))
    assert command[-1] == "https://[fd00::1]:8443/a?b"
    assert option(command, "-s") == ["/t/s.lua"]


@pytest.mark.parametrize(
    "changes",
    [
        {"path": "no-slash"},
        {"path": "/a b"},
        {"path": "/a\r\nb"},
        {"headers": {"A": "b\r\nC: d"}},
        {"headers": {"A:": "b"}},
        {"headers": {"": "b"}},
    ],
)
def test_what_would_break_out_of_its_place_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(GeneratorError) as caught:
        wrk_command(stream(**changes), TARGET, 10)
    assert caught.value.code == "stream-invalid"


def test_connections_are_spread_evenly_and_the_rest_is_dropped() -> None:
    assert established_connections(stream(threads=3, connections=10)) == 9


def test_fewer_connections_than_threads_are_refused() -> None:
    with pytest.raises(GeneratorError) as caught:
        wrk_command(stream(threads=3, connections=2), TARGET, 10)
    assert caught.value.code == "stream-invalid"
