"""What can be counted of a trial rather than timed: bytes, connections, requests to upstream servers, handshakes."""

from collections.abc import Iterator

from ngxlab_contracts.telemetry import Totals

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.summary.host import nginx_counts
from ngxlab.analysis.summary.rejected import answered
from ngxlab.analysis.summary.streams import total
from ngxlab.analysis.summary.websockets import answered_in_window, holds_websockets, served_in_load


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    """``None`` where a count is missing, or no request was counted."""
    target = record.target
    if target is None or target.window is None:
        return {}
    connections, requests = _at_upstream_servers(record)
    counts = nginx_counts(target)
    served = counts.requests if counts is not None else 0
    if holds_websockets(record):
        served = answered_in_window(record)
    return {
        "response_bytes": _response_bytes(record),
        "connections_per_1000_requests": 1000 * counts.accepts / served if counts is not None and served else None,
        "upstream_connections_per_1000_requests": _per_1000(connections, requests),
        "upstream_requests_per_1000_requests": _per_1000(requests, served),
        **_handshakes(record, target),
    }


def _response_bytes(record: TrialRecord) -> float | None:
    """The mean over the whole life of all streams but probes, headers included: generators count bytes no finer."""
    every = list(_totals(record))
    responses = sum(answered(one) for one in every if one is not None)
    if not responses or None in every:
        return None
    return sum(one.bytes_read for one in every if one is not None) / responses


def _totals(record: TrialRecord) -> Iterator[Totals | None]:
    for host in record.hosts:
        for stream in host.spec.streams:
            if not stream.probe:
                result = host.stream_result(stream.key)
                yield (result.printed or result.totals) if result is not None else None


def _at_upstream_servers(record: TrialRecord) -> tuple[float | None, float | None]:
    """Connections and requests of all declared upstream servers in the window, less the agents' polls."""
    servers = [(host, server.key) for host in record.hosts for server in host.spec.upstream_servers]
    if not servers:
        return None, None
    connections = [_increase(host, "upstream_connections_accepted_total", key) for host, key in servers]
    asked = [_increase(host, "upstream_http_requests_total", key) for host, key in servers]
    polls = total([_increase(host, "upstream_stub_status_polls_total", key) for host, key in servers])
    requests = total(asked)
    return total(connections), max(0.0, requests - polls) if requests is not None and polls is not None else None


def _increase(host: HostRecord, name: str, key: str) -> float | None:
    series = host.series.find(name, upstream=key)
    grown = series[0].increase(host.window) if series and host.window is not None else None
    return grown.amount if grown is not None else None


def _per_1000(count: float | None, requests: float | None) -> float | None:
    return 1000 * count / requests if count is not None and requests else None


def _handshakes(record: TrialRecord, target: HostRecord) -> dict[str, float | None]:
    """Over the whole load, as nginx's log has them: those that a request followed."""
    use, requests = target.tls_use(), target.nginx_total()
    if use is None or use.full is None or use.resumed is None:
        return {}
    handshakes = use.full + use.resumed
    served = served_in_load(record, requests.requests) if requests is not None else None
    return {
        "full_handshakes_per_1000_requests": _per_1000(use.full, served),
        "resumed_handshakes_percent": 100 * use.resumed / handshakes if handshakes else None,
    }
