"""What is counted of a trial, from records whose counts are known."""

from dataclasses import replace

import pytest
from analysis import builders, proxying
from analysis.scenario import Scenario
from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.summary.counted import metric_values
from ngxlab.analysis.summary.nginx import metric_values as nginx_values
from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec, WebSocketSpec
from ngxlab_contracts.telemetry import EngineTotals, NginxTotal, StreamResult, TemporaryFiles, TlsUse

OPEN = OpenLoopSpec(steps=[RateStep(per_s=600, duration_s=60)])


def result(requests: int, bytes_read: int, stream: str = "main") -> StreamResult:
    totals = EngineTotals(
        sent=requests, completed=requests, connects=1, reconnects=0, bytes_read=bytes_read, processes=1
    )
    counts = {"live_requests": requests, "stub_requests": requests, "printed": None, "totals": totals}
    return StreamResult(t_us=builders.T0_US, stream=stream, exit_code=0, **counts)


def values(host: HostRecord) -> dict[str, float | None]:
    return metric_values(builders.trial(host))


def test_bytes_of_a_response() -> None:
    host = proxying.trial(proxying.config(), extra=[result(2000, 5_000_000)])
    assert values(host)["response_bytes"] == 2500


def test_a_generator_that_told_no_bytes_leaves_them_unknown() -> None:
    assert values(proxying.trial(proxying.config()))["response_bytes"] is None


def test_connections_of_upstream_servers_are_by_their_own_requests() -> None:
    host = proxying.trial(proxying.config(), upstream_per_s=60, new_per_s=15)
    assert values(host)["upstream_connections_per_1000_requests"] == pytest.approx(250, rel=0.02)


def test_without_upstream_servers_nothing_is_said_of_them() -> None:
    found = values(Scenario().build())
    assert found["upstream_requests_per_1000_requests"] is None
    assert found["upstream_connections_per_1000_requests"] is None


def test_handshakes_by_requests() -> None:
    use = TlsUse(t_us=builders.T0_US, full=30, resumed=90, failed={})
    total = NginxTotal(t_us=builders.T0_US, requests=6000)
    found = values(proxying.trial(proxying.config(), extra=[use, total]))
    assert (found["full_handshakes_per_1000_requests"], found["resumed_handshakes_percent"]) == (5, 75)


def test_with_websockets_handshakes_and_files_are_by_messages() -> None:
    """To nginx each is one request; of messages there are 7,200 in the twelve seconds of the load."""
    use = TlsUse(t_us=builders.T0_US, full=36, resumed=0, failed={})
    files = TemporaryFiles(t_us=builders.T0_US, requests=72, responses=0, log_bytes=1)
    total = NginxTotal(t_us=builders.T0_US, requests=36)
    stream = StreamSpec(
        key="main", engine="open-loop", threads=1, connections=36, open_loop=OPEN, websocket=WebSocketSpec()
    )
    host = proxying.trial(proxying.config(), stream=stream, extra=[use, files, total])
    assert values(host)["full_handshakes_per_1000_requests"] == 5
    assert nginx_values(builders.trial(host))["temp_file_warnings_per_1000_requests"] == 10


def test_with_websockets_the_times_of_the_log_are_none_of_requests() -> None:
    def p50(stream: StreamSpec) -> float | None:
        host = proxying.trial(proxying.config(), stream=stream)
        logged = [one.model_copy(update={"stream": "nginx", "quantity": "request_time"}) for one in host.intervals]
        return nginx_values(builders.trial(replace(host, intervals=logged)))["request_time_p50_ms"]

    stream = StreamSpec(key="main", engine="open-loop", threads=1, connections=36, open_loop=OPEN)
    assert p50(stream) == pytest.approx(1, rel=0.02)
    assert p50(stream.model_copy(update={"websocket": WebSocketSpec()})) is None


def test_no_handshake_is_no_share() -> None:
    use = TlsUse(t_us=builders.T0_US, full=0, resumed=0, failed={})
    assert values(proxying.trial(proxying.config(), extra=[use]))["resumed_handshakes_percent"] is None
