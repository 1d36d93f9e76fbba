"""Memory and churn of held connections, from readings whose answer is plain."""

import pytest
from analysis import builders
from analysis.builders import Columns, constant
from analysis.check_results import results_of
from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.summary.idle_connections import metric_values
from ngxlab_contracts.streams import IdleHoldSpec, StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, StreamResult

IDLE = StreamSpec(
    key="idle",
    engine="idle-hold",
    threads=1,
    connections=1000,
    idle_hold=IdleHoldSpec(connect_per_s=1000, think_max_s=60),
)


def loaded(before: float, after: float) -> builders.Value:
    """The warm-up, in which connections are opened, begins two seconds before the window."""
    return lambda t_s: before if t_s < -2 else after


def columns(held: float = 1000) -> Columns:
    workers = [
        ("ngxlab_process_resident_memory_bytes", {"role": "nginx-worker", "index": str(i)}, loaded(3e6, 3e6 + 260_000))
        for i in range(2)
    ]
    holder = {"role": "generator", "index": "0", "stream": "idle"}
    return [
        *workers,
        ("ngxlab_process_resident_memory_bytes", holder, loaded(1e6, 1e6 + 45_000)),
        ("node_memory_MemAvailable_bytes", {}, loaded(20e9, 20e9 - 9e6)),
        ("node_memory_Slab_bytes", {}, loaded(1e9, 1e9 + 7.5e6)),
        ("nginx_connections_active", {}, loaded(1, 1001)),
        ("nginx_connections_waiting", {}, loaded(0, held)),
        ("nginx_connections_accepted_total", {}, loaded(3, 1653)),
        ("nginx_http_requests_total", {}, loaded(4, 5012)),
        ("ngxlab_stub_status_polls_total", {}, loaded(1, 9)),
    ]


def record(*, streams: list[StreamSpec] | None = None, target: bool = True, held: float = 1000) -> HostRecord:
    of = builders.spec(streams=[IDLE] if streams is None else streams, target=target)
    return builders.host(of, [builders.collector(of, columns(held))])


def test_what_connections_took() -> None:
    found = metric_values(builders.trial(record()))
    assert found["worker_rss_bytes"] == 6_520_000
    assert found["worker_rss_growth_bytes"] == 520_000
    assert found["generator_rss_growth_bytes"] == 45_000
    assert found["memory_available_drop_bytes"] == 9e6
    assert found["slab_growth_bytes"] == 7.5e6
    assert found["kernel_memory_growth_bytes"] == 9e6 - 520_000 - 45_000
    assert found["memory_bytes_per_connection"] == 9000


@pytest.mark.parametrize(("held", "each"), [(500, 18_000), (0, None)])
def test_bytes_are_shared_by_the_connections_that_are_there(held: float, each: float | None) -> None:
    assert metric_values(builders.trial(record(held=held)))["memory_bytes_per_connection"] == each


def test_those_lost_are_accepted_less_active_since_the_load_began() -> None:
    found = metric_values(builders.trial(record()))
    assert (found["connections_held"], found["connections_accepted"], found["connection_churn"]) == (1000, 1650, 650)
    assert found["requests_since_start"] == 5000


@pytest.mark.parametrize("reported", [True, False])
def test_the_generators_count_what_they_opened_anew(reported: bool) -> None:
    of = builders.spec(streams=[IDLE])
    counts = dict.fromkeys(("sent", "completed", "connects", "bytes_read"), 0)
    result = StreamResult(
        t_us=builders.T0_US,
        stream="idle",
        exit_code=0,
        live_requests=0,
        stub_requests=None,
        printed=None,
        totals=EngineTotals(**counts, reconnects=650, processes=1),
    )
    host = builders.host(of, [builders.collector(of, columns())], extra=[result] if reported else [])
    assert metric_values(builders.trial(host))["generator_reconnects"] == (650 if reported else None)


def test_a_generator_elsewhere_takes_nothing_of_the_target() -> None:
    target = record(streams=[])
    of = builders.spec(streams=[IDLE], target=False, host_name="generator")
    found = metric_values(builders.trial(target, builders.host(of)))
    assert found["generator_rss_growth_bytes"] is None
    assert found["kernel_memory_growth_bytes"] == 9e6 - 520_000


def test_what_was_not_read_is_not_known() -> None:
    of = builders.spec(streams=[IDLE])
    bare = builders.host(of, [builders.collector(of, [("node_load1", {}, constant(1.0))])])
    assert set(metric_values(builders.trial(bare)).values()) == {None}


@pytest.mark.parametrize("streams", [None, []])
def test_other_loads_have_none_of_these(streams: list[StreamSpec] | None) -> None:
    of = builders.spec(streams=streams)
    assert metric_values(builders.trial(builders.host(of, [builders.collector(of, columns())]))) == {}


def test_who_holds_connections_waits_for_answers_as_a_closed_loop_does() -> None:
    trial = builders.trial(record())
    results = results_of(trial)
    assert results["coordinated-omission"].severity == "info"
