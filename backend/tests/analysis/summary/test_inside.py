"""What nginx does inside, from records whose counts are known."""

from dataclasses import replace

import pytest
from analysis import builders, proxying
from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.records.stream_spans import Span
from ngxlab.analysis.summary.inside import metric_values
from ngxlab_contracts.streams import ClientSpec, OpenLoopSpec, RateStep, StreamSpec, WebSocketSpec
from ngxlab_contracts.telemetry import Event, NginxMemory, ProcessEvent, ServedRequests

LOCKED = "proxy_cache pages; proxy_cache_lock on;"

OPEN = OpenLoopSpec(steps=[RateStep(per_s=600, duration_s=60)])


def served(*by_worker: int, **changes: object) -> ServedRequests:
    told = {
        "t_us": builders.T0_US, "seconds": 20.0, "requests": sum(by_worker), "by_worker": list(by_worker),
        "cache": {"hit": 700, "miss": 50, "stale": 250}, "held": 20, "compressed": 500, "body_bytes": 2_000_000,
        "uncompressed_bytes": 5_000_000,
    }  # fmt: skip
    return ServedRequests.model_validate(told | changes)


def memory(at: str, own_bytes: int, workers: int = 2) -> NginxMemory:
    return NginxMemory.model_validate(
        {"t_us": builders.T0_US, "at": at, "workers": workers, "own_bytes": own_bytes, "zones_bytes": 8192}
        | {"program_bytes": 1}
    )


def host(
    *extra: Event, config: str = LOCKED, workers: int = 2, stream: StreamSpec | None = None, upstream: str = ""
) -> HostRecord:
    built = proxying.trial(config, extra=list(extra), stream=stream, upstream=upstream)
    nginx = built.nginx.model_copy(update={"workers": workers})
    return replace(built, spec=built.spec.model_copy(update={"nginx": nginx}))


def values(record: HostRecord) -> dict[str, float | None]:
    return metric_values(builders.trial(record))


def test_shares_of_requests_that_asked_a_cache() -> None:
    found = values(host(served(1000, 1000)))
    assert (found["cache_hit_percent"], found["cache_miss_percent"], found["cache_stale_percent"]) == (70, 5, 25)
    assert found["cache_bypass_percent"] == 0
    assert found["cache_lock_waits_per_1000_requests"] == 10


def test_without_a_cache_nothing_is_said_of_it_and_without_a_lock_nothing_waits_for_it() -> None:
    found = values(host(served(10, 10, cache={})))
    assert "cache_hit_percent" not in found
    assert found["cache_lock_waits_per_1000_requests"] is None
    assert values(host(served(10, 10), config="proxy_cache pages;"))["cache_lock_waits_per_1000_requests"] == 0


SLOW = ClientSpec(read_bytes_per_s=100_000)


@pytest.mark.parametrize(("config", "client"), [(f"{LOCKED} limit_rate 1k;", None), (LOCKED, SLOW)])
def test_slow_answers_are_no_waits_for_a_lock(config: str, client: ClientSpec | None) -> None:
    stream = StreamSpec(key="main", engine="open-loop", threads=1, connections=1, open_loop=OPEN, client=client)
    assert values(host(served(10, 10), config=config, stream=stream))["cache_lock_waits_per_1000_requests"] is None


PASSED = "location / { proxy_pass http://app; }"


@pytest.mark.parametrize(
    ("config", "upstream", "known"),
    [
        ("gzip on;", "", True),
        ("gzip on; gzip_static off;", "", True),
        ("gzip_static on;", "", False),
        ("brotli on;", "", False),
        (PASSED, "", True),
        (PASSED, "http { gzip on; }", False),
    ],
)
def test_what_logs_no_ratio_leaves_the_size_before_compression_unknown(config: str, upstream: str, known: bool) -> None:
    found = values(host(served(10, 10), config=config, upstream=upstream))
    assert (found["uncompressed_body_bytes"] is not None) == known
    assert found["body_bytes"] is not None


def test_of_websockets_the_log_says_nothing_of_requests() -> None:
    stream = StreamSpec(
        key="main", engine="open-loop", threads=1, connections=1, open_loop=OPEN, websocket=WebSocketSpec()
    )
    assert values(host(served(10, 10), stream=stream)) == {}


def test_what_compression_saved() -> None:
    found = values(host(served(1000, 1000)))
    assert (found["compressed_percent"], found["body_bytes"], found["uncompressed_body_bytes"]) == (25, 1000, 2500)


@pytest.mark.parametrize(("by_worker", "cv"), [((50, 50), 0), ((100, 0), 1), ((40, 40, 20), None), ((100,), None)])
def test_how_uneven_workers_are(by_worker: tuple[int, ...], cv: float | None) -> None:
    """Of two: all of one is 1. Where workers were replaced, or there is one, it is nothing."""
    workers = 1 if len(by_worker) == 1 else 2
    assert values(host(served(*by_worker), workers=workers))["worker_requests_cv"] == cv


def test_workers_that_never_ran_together_are_not_compared() -> None:
    """One served before a reload, the other after it, as many as there are workers."""
    began = [
        ProcessEvent(t_us=builders.T0_US + at * 1_000_000, role="nginx-worker", index=n, pid=100 + n, cpus_allowed="0")
        for n, at in enumerate((0, 0, 5, 5))
    ]
    assert values(host(served(50, 60), *began[:2]))["worker_requests_cv"] is not None
    assert values(host(served(50, 60), *began))["worker_requests_cv"] is None


def test_memory_is_told_as_the_window_ends() -> None:
    found = values(host(memory("start", 1_000_000), memory("end", 3_000_000)))
    assert (found["worker_memory_bytes"], found["shared_zones_bytes"]) == (3_000_000, 8192)
    assert found["worker_memory_bytes_per_connection"] is None


@pytest.mark.parametrize(("active", "bytes_each"), [(2000, 500), (999, None)])
def test_memory_of_a_connection_is_what_has_grown(active: float, bytes_each: float | None) -> None:
    of = builders.spec()
    columns: builders.Columns = [("nginx_connections_active", {}, builders.constant(active))]
    ends = [memory("start", 1_000_000), memory("end", 2_000_000)]
    record = builders.host(of, [builders.collector(of, columns, name="stub_status")], [], ends)
    assert values(record)["worker_memory_bytes_per_connection"] == bytes_each


def test_of_another_window_nothing_is_known() -> None:
    record = host(served(10, 10), memory("start", 1), memory("end", 2))
    chosen = replace(record, chosen=Span(1, 5))
    assert values(chosen) == {}
