"""Derived series against the scenario's known numbers, live and from history."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import pytest
from analysis import builders, fleet
from analysis.builders import constant, line
from analysis.scenario import Scenario
from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.series.catalogue import CATALOGUE, UNIT_BY_KEY
from ngxlab.analysis.series.derive import SeriesDeriver, derive_all, downsample
from ngxlab.analysis.series.schemas import DerivedPoint, DerivedSeries
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import ClientPhase, Frame, PhaseEvent

Points = Sequence[tuple[float, float | None]]


def series_of(record: HostRecord) -> dict[tuple[str, str], Points]:
    return {(series.key, series.label): series.points for series in derive_all(record)}


def at(points: Points, t_s: float) -> float | None:
    return dict(points)[t_s]


def test_every_value_of_a_known_trial() -> None:
    found = series_of(Scenario().build())
    expected = {
        ("requests_per_s", "main"): 600,
        ("requests_per_s_nginx", "nginx"): 600,
        ("latency_ms", "p50"): 0.35,
        ("latency_ms", "p90"): 1.0,
        ("latency_ms", "p95"): 1.0,
        ("latency_ms", "p99"): 1.0,
        ("nginx_connections", "active"): 100,
        ("nginx_connections", "writing"): 30,
        ("nginx_connections", "reading"): 2,
        ("nginx_connections", "waiting"): 68,
        ("accepts_per_s", "accepts"): 0,
        ("cpu_share", "user"): 27.5,
        ("cpu_share", "idle"): 45.0,
        ("cpu_busy_share", "CPU 0"): 70,
        ("cpu_busy_share", "CPU 1"): 40,
        ("worker_cpu_share", "worker 1"): 40,
        ("worker_cpu_share", "worker 4"): 10,
        ("worker_connections", "worker 1"): 60,
        ("run_delay_ms_per_s", "worker 2"): 5,
        ("worker_memory_bytes", "worker 3"): 3 * 4096,
        ("worker_threads", "R"): 1,
        ("worker_threads", "S"): 3,
        ("generator_cpu_share", "main"): 30,
        ("agent_cpu_share", "agent"): 0.4,
        ("network_bits_per_s", "eth0 received"): 8e6,
        ("network_bits_per_s", "eth0 transmitted"): 16e6,
        ("tcp_sockets", "in use"): 205,
        ("tcp_sockets", "time-wait"): 40,
        ("load_average", "1 min"): 0.1,
    }
    for line_key, value in expected.items():
        assert at(found[line_key], 5.0) == pytest.approx(value), line_key
    assert ("network_bits_per_s", "idle0 received") not in found
    assert not any(key == "tcp_problems_per_s" for key, _ in found)
    assert ("latency_ms", "p99.9") not in found


def test_time_begins_with_the_window_and_is_negative_before() -> None:
    points = series_of(Scenario().build())["requests_per_s_nginx", "nginx"]
    assert [t_s for t_s, _ in points] == [float(t) for t in range(-2, 11)]


def test_batches_give_the_same_points_as_history() -> None:
    record = Scenario().build()
    deriver = SeriesDeriver(record.spec)
    live: list[DerivedPoint] = []
    layouts = {layout.id: layout for layout in record.layouts.values()}
    ends = [builders.T0_US - 500_000 + 1_000_000 * n for n in range(-3, 15)]
    for begin, end in zip([0, *ends], [*ends, 2**62], strict=True):
        frames = [
            Frame(layout=frame.layout, t_us=frame.t_us, took_us=frame.took_us, values=list(frame.values))
            for frame in record.frames
            if begin <= frame.t_us < end
        ]
        declared = [layouts.pop(number) for number in {frame.layout for frame in frames} if number in layouts]
        intervals = [interval for interval in record.intervals if begin <= interval.t1_us < end]
        events = [event for event in record.events if begin <= event.t_us < end]
        live += deriver.feed(declared, frames, intervals, events)
    collected: dict[tuple[str, str], list[tuple[float, float | None]]] = {}
    for point in live:
        collected.setdefault((point.key, point.label), []).append((point.t_s, point.value))
    assert collected == series_of(record)


def test_the_window_s_beginning_is_foreseen_during_warmup() -> None:
    of = builders.spec(warmup_s=5)
    layout, frames = builders.collector(of, [("node_load1", {}, constant(1))])
    early = [frame for frame in frames if frame.t_us < builders.T0_US + 2_000_000]
    deriver = SeriesDeriver(of)
    points = deriver.feed([layout], early, [], [PhaseEvent(t_us=builders.T0_US, phase="warmup")])
    assert [point.t_s for point in points] == [-5, -4]
    late = PhaseEvent(t_us=builders.T0_US + 5_250_000, phase="measure")
    rest = [frame for frame in frames if frame.t_us == builders.T0_US + 6_000_000]
    known = [point.t_s for point in deriver.feed([], rest, [], [late]) if point.value is not None]
    assert known == [0.75]


def test_a_gap_is_marked_and_the_rate_across_it_is_the_true_mean() -> None:
    of = builders.spec()
    columns: builders.Columns = [
        ("nginx_http_requests_total", {}, lambda t_s: 101.0 * t_s + (800 if t_s >= 6 else 0)),
        ("ngxlab_stub_status_polls_total", {}, line(1)),
    ]
    record = builders.host(of, [builders.collector(of, columns, skip=lambda t_s: 2 < t_s < 6)])
    points = series_of(record)["requests_per_s_nginx", "nginx"]
    assert points[4:7] == [(2.0, 100.0), (3.0, None), (6.0, 300.0)]


def test_a_reset_counter_is_a_gap_and_not_a_negative_rate() -> None:
    of = builders.spec()
    columns: builders.Columns = [
        ("nginx_http_requests_total", {}, lambda t_s: 100.0 * t_s if t_s >= 4 else 100.0 * t_s + 5000),
        ("ngxlab_stub_status_polls_total", {}, constant(1)),
    ]
    points = dict(series_of(builders.host(of, [builders.collector(of, columns)]))["requests_per_s_nginx", "nginx"])
    assert points[3.0] == 100
    assert points[4.0] is None
    assert points[5.0] == 100


def test_an_unreadable_value_is_a_gap() -> None:
    of = builders.spec()
    columns: builders.Columns = [("node_load1", {}, lambda t_s: None if t_s == 4 else 1.0)]
    assert at(series_of(builders.host(of, [builders.collector(of, columns)]))["load_average", "1 min"], 4.0) is None


def test_p999_needs_ten_thousand_responses_in_the_interval() -> None:
    of = builders.spec()
    latency = builders.intervals(of, lambda t_s: [100] * (10_000 if 2 <= t_s < 4 else 10))
    points = series_of(builders.host(of, latency=latency))["latency_ms", "p99.9"]
    assert points[:3] == [(3.0, 0.1), (4.0, 0.1), (5.0, None)]


def test_an_interval_without_responses_has_a_rate_of_zero_and_no_latency() -> None:
    of = builders.spec()
    latency = builders.intervals(of, lambda t_s: [] if t_s == 3 else [100])
    found = series_of(builders.host(of, latency=latency))
    assert at(found["requests_per_s", "main"], 4.0) == 0
    assert at(found["latency_ms", "p50"], 4.0) is None


def test_what_no_chart_shows_of_a_client_s_wait_breaks_no_chart() -> None:
    record = Scenario().build()
    waits = [
        one.model_copy(update={"quantity": quantity})
        for quantity in get_args(ClientPhase)
        for one in record.intervals[:2]
    ]
    with_waits = replace(record, intervals=[*record.intervals, *waits])
    assert series_of(with_waits) == series_of(record)


def test_percentiles_of_several_streams_carry_their_names() -> None:
    streams = [StreamSpec(key=key, engine="wrk", threads=1, connections=10) for key in ("hot", "cold")]
    of = builders.spec(streams=streams)
    latency = builders.intervals(of, lambda t_s: [100], stream="hot")
    latency += builders.intervals(of, lambda t_s: [900], stream="cold")
    found = series_of(builders.host(of, latency=latency))
    assert at(found["latency_ms", "hot p50"], 1.0) == 0.1
    assert at(found["latency_ms", "cold p50"], 1.0) == 0.9
    assert at(found["requests_per_s", "cold"], 1.0) == 1


def test_lines_of_several_hosts_never_bear_the_same_name() -> None:
    record = fleet.two_streams()
    hosts = [*record.hosts, fleet.upstream_host()]
    lines = [
        (series.key, series.label, series)
        for host in hosts
        for series in derive_all(
            host, host_label=None if host is record.target else record.labels.get(host.host_id, "b")
        )
    ]
    names = [(key, label) for key, label, _ in lines]
    assert len(names) == len(set(names))
    values = {(key, label): at(series.points, 5.0) for key, label, series in lines}
    expected = {
        ("requests_per_s", "hot"): 900,
        ("requests_per_s", "cold"): 100,
        ("latency_ms", "hot p50"): 0.1,
        ("latency_ms", "cold p50"): 2.0,
        ("generator_cpu_share", "cold"): 20,
        ("cpu_share", "user"): 12.5,
        ("cpu_share", "gen-a: user"): 10,
        ("cpu_share", "gen-b: idle"): 90,
        ("cpu_busy_share", "gen-b: CPU 0"): 10,
        ("network_bits_per_s", "gen-a: eth0 received"): 200e6,
        ("network_bits_per_s", "eth0 received"): 8e6,
        ("upstream_cpu_share", "b: upstream servers"): 30,
        ("agent_cpu_share", "gen-b: agent"): 0.4,
        ("worker_cpu_share", "worker 1"): 40,
    }
    for name, value in expected.items():
        assert values[name] == pytest.approx(value, rel=1e-3), name


def test_a_target_s_own_stream_is_named_where_others_load_it_too() -> None:
    labels = {series.label for series in derive_all(fleet.target(streams={"hot": [100]})) if series.key == "latency_ms"}
    assert "hot p99" in labels
    assert "p99" not in labels


def test_a_time_that_no_chart_shows_is_no_series_though_it_is_asked_for() -> None:
    of = builders.spec()
    latency = builders.intervals(of, lambda _: [1000])
    first_bytes = [one.model_copy(update={"quantity": "first_byte"}) for one in latency]
    found = derive_all(builders.host(of, latency=[*latency, *first_bytes]), keys=["latency_ms", "first_byte_ms"])
    assert {series.key for series in found} == {"latency_ms"}


def test_a_problem_appears_only_once_it_happened() -> None:
    of = builders.spec()
    columns: builders.Columns = [("node_netstat_TcpExt_ListenOverflows", {}, lambda t_s: 3.0 if t_s >= 5 else 0.0)]
    found = series_of(builders.host(of, [builders.collector(of, columns)]))
    assert found["tcp_problems_per_s", "listen overflows"][:2] == [(5.0, 3.0), (6.0, 0.0)]


def test_a_worker_s_line_continues_when_another_leaves_the_layout() -> None:
    of = builders.spec()

    def workers(*indexes: int) -> builders.Columns:
        return [
            ("ngxlab_process_run_seconds_total", {"role": "nginx-worker", "index": str(n)}, line(0.1 * (n + 1)))
            for n in indexes
        ]

    both = builders.collector(of, workers(0, 1), name="process", skip=lambda t_s: t_s >= 5)
    one = builders.collector(of, workers(1), layout=1, name="process", skip=lambda t_s: t_s < 5)
    found = series_of(builders.host(of, [both, one]))
    assert [t_s for t_s, _ in found["worker_cpu_share", "worker 2"]] == [float(t) for t in range(-2, 11)]
    assert at(found["worker_cpu_share", "worker 2"], 5.0) == pytest.approx(20)
    assert found["worker_cpu_share", "worker 1"][-1][0] == 4.0


def test_a_cpu_that_waits_for_the_disk_is_idle() -> None:
    columns: builders.Columns = [
        ("node_cpu_seconds_total", {"cpu": "3", "mode": mode}, line(cores))
        for mode, cores in (("user", 0.25), ("idle", 0.25), ("iowait", 0.5))
    ]
    found = series_of(builders.host(builders.spec(), [builders.collector(builders.spec(), columns)]))
    assert at(found["cpu_busy_share", "CPU 3"], 5.0) == pytest.approx(25)


def test_downsampling_keeps_the_peak_and_the_gaps() -> None:
    points: list[tuple[float, float | None]] = [(t / 10, 1.0) for t in range(5000)]
    points[2345] = (234.5, 99.0)
    points[3000] = (300.0, None)
    kept = downsample(points, 200)
    assert len(kept) <= 201
    assert (234.5, 99.0) in kept
    assert (300.0, None) in kept
    assert kept == sorted(kept, key=lambda point: point[0])


def test_few_points_stay_as_they_are() -> None:
    points: list[tuple[float, float | None]] = [(0.0, 1.0), (1.0, None), (2.0, 3.0)]
    assert downsample(points, 3) == points
    with pytest.raises(ValueError, match="at least 3"):
        derive_all(builders.host(builders.spec()), max_points=2)


def test_catalogue_names_every_series_and_colours_no_neutral_one() -> None:
    emitted = {series.key for series in derive_all(Scenario().build())}
    assert emitted <= set(UNIT_BY_KEY)
    assert len(UNIT_BY_KEY) == len(CATALOGUE)
    direction = {info.key: info.direction for info in CATALOGUE}
    assert {direction[key] for key in ("cpu_share", "load_average")} == {"neutral"}
    assert DerivedSeries.model_validate(
        {"key": "load_average", "label": "x", "unit": "y", "points": [(1, None)]}
    ).points
