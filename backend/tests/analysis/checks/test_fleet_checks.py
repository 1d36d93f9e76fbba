"""Rules on a trial of several hosts: silent on a healthy one, and naming the host where a fault is put in."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from analysis import builders, fleet, scenario
from analysis.builders import constant, line
from analysis.check_results import results_of
from analysis.fleet import COLD_US, HOT_US
from ngxlab.analysis.records import HostRecord, TrialRecord


def gen_a() -> HostRecord:
    return fleet.generator("gen-a", {"hot": HOT_US})


def gen_b(**changes: object) -> HostRecord:
    return fleet.generator("gen-b", {"cold": COLD_US}, **changes)  # type: ignore[arg-type]  # as the table has them


def with_b(host: HostRecord) -> TrialRecord:
    return builders.trial(fleet.target(), gen_a(), host)


def swap(name: str, value: builders.Value, columns: builders.Columns | None = None) -> builders.Columns:
    of = fleet.quiet_columns(0.2) if columns is None else columns
    return [(key, labels, value if key == name else old) for key, labels, old in of]


def test_a_healthy_fleet_passes() -> None:
    record = fleet.two_streams()
    results = results_of(replace(record, hosts=[*record.hosts, fleet.upstream_host()]))
    notable = {key: result.severity for key, result in results.items() if result.severity != "pass"}
    assert notable == {"coordinated-omission": "info"}
    assert "3.0 ms, gen-b last" in results["start-spread"].message
    assert "gen-a: the busiest of 2 generator threads used 10 % of a core" in results["generator-saturated"].message


NETWORK = "node_network_receive_bytes_total"

FAULTS: list[tuple[str, str, HostRecord, str]] = [
    ("generator-saturated", "error", gen_b(cores_a_thread=0.95), "gen-b: the busiest of 2 generator threads used 95 %"),
    ("timeouts", "error", gen_b(errors={"errors_timeout": 3}), "gen-b: 3 requests timed out"),
    ("errors", "error", gen_b(errors={"errors_status": 80}), "gen-b: 0 socket errors and 80 responses"),
    ("concurrency", "error", gen_b(errors={"errors_connect": 2}), "2 connections failed to open"),
    ("ports", "warning", gen_b(columns=swap("node_sockstat_TCP_tw", constant(20_000))), "gen-b: at most 20,000"),
    ("conntrack", "error", gen_b(columns=swap("node_nf_conntrack_entries", constant(900))), "gen-b: at most 900"),
    ("noisy-host", "warning", gen_b(columns=fleet.quiet_columns(0.6)), "gen-b: steal 0.0 %, other processes 19.8 %"),
    ("link-speed", "warning", gen_b(columns=swap(NETWORK, line(120e6))), "gen-b: eth0 carried 96 %"),
    ("clock-skew", "warning", fleet.with_clock(gen_b(), 80_000), "gen-b: the host's clock is 80.0 ms off"),
    ("start-spread", "error", fleet.with_clock(gen_b(), 5_000, late_us=134_000), "134.0 ms, gen-b last: 1.3 % of the"),
    ("measurement-degraded", "error", gen_b(extra=[builders.note("x-failed", "gone")]), "gravest: gen-b: gone"),
    (
        "shared-cores",
        "warning",
        gen_b(own=fleet.inventory("gen-b", boot_id="boot of target")),
        "on target, gen-b the generator and nginx share 1 core:",
    ),
]


@pytest.mark.parametrize(
    ("key", "severity", "host", "words"), FAULTS, ids=[f"{fault[0]}-{n}" for n, fault in enumerate(FAULTS)]
)
def test_a_fault_of_one_host_is_found_and_its_host_named(key: str, severity: str, host: HostRecord, words: str) -> None:
    result = results_of(with_b(host))[key]
    assert result.severity == severity
    assert words in result.message
    assert "gen-a:" not in result.message
    assert result.remedy


def test_what_one_host_does_not_tell_is_no_pass() -> None:
    result = results_of(with_b(replace(gen_b(), frames=[])))["generator-saturated"]
    assert (result.severity, result.message.partition(":")[0]) == ("unavailable", "gen-b")


def test_a_stream_is_saturated_by_its_own_time_only() -> None:
    """95 % of a core for 2 s of 10."""
    plans = [fleet.stream("cold", start_offset_s=5, duration_s=2)]
    brief = fleet.generator("gen-b", {"cold": COLD_US}, plans=plans, cores_a_thread=0.95)
    assert "95 %" in results_of(with_b(brief))["generator-saturated"].message


def test_planned_connections_are_those_of_all_streams_at_once() -> None:
    short = builders.trial(fleet.target(active=91), gen_a(), gen_b())
    result = results_of(short)["concurrency"]
    assert (result.severity, result.message) == ("error", "90 connections were open (median), 100 planned")


def test_connections_are_counted_while_all_streams_run() -> None:
    """50 for most of the window, 80 for the two seconds in which both streams run."""
    plans = [fleet.stream("hot"), fleet.stream("cold", 30, start_offset_s=6, duration_s=2)]
    both = fleet.generator("gen-a", {"hot": HOT_US, "cold": COLD_US}, plans=plans)

    def active(t_s: float) -> float:
        return 81.0 if 4 <= t_s < 6 else 51.0

    of = fleet.target()
    nginx = swap("nginx_connections_active", active, scenario.nginx_columns())
    layout, frames = builders.collector(of.spec, nginx, name="stub_status")
    others = [frame for frame in of.frames if frame.layout != layout.id]
    target = replace(of, frames=sorted([*others, *frames], key=lambda frame: frame.t_us))
    assert results_of(builders.trial(target, both))["concurrency"].severity == "pass"


def test_upstream_servers_beside_nginx_share_its_cores() -> None:
    own = fleet.inventory("upstream", boot_id="boot of target")
    record = builders.trial(fleet.target(), gen_a(), replace(fleet.upstream_host(), inventory=own))
    result = results_of(record)["shared-cores"]
    assert result.severity == "warning"
    assert "on target, upstream the upstream servers and nginx share 1 core:" in result.message


def test_hosts_on_one_machine_are_not_each_other_s_noise() -> None:
    """Network namespaces see the CPU times of the whole machine: 0.4 cores, of which 0.2 are gen-a's."""
    own = {name: fleet.inventory(name, boot_id="one") for name in ("gen-a", "gen-b")}
    hosts = [
        fleet.generator(name, {key: values}, own=own[name], columns=fleet.quiet_columns(0.4))
        for name, key, values in (("gen-a", "hot", HOT_US), ("gen-b", "cold", COLD_US))
    ]
    assert results_of(builders.trial(fleet.target(), *hosts))["noisy-host"].severity == "pass"


@pytest.mark.parametrize(
    ("total", "severity", "words"),
    [
        (fleet.TOTAL, "pass", "0.00 % at most for all streams"),
        (fleet.TOTAL + 500, "error", "nginx 12,500"),
        (None, "pass", "0.00 %"),
    ],
)
def test_accounting_is_of_all_streams(total: int | None, severity: str, words: str) -> None:
    result = results_of(builders.trial(fleet.target(total=total), gen_a(), gen_b()))["accounting"]
    assert result.severity == severity
    assert words in result.message


def test_one_stream_s_counts_may_not_hide_in_the_sum() -> None:
    def recounted(host: HostRecord, key: str, printed: int) -> HostRecord:
        result = builders.stream_result(key, live=printed + 300, printed=printed, stub=None)
        return replace(host, events=[*(event for event in host.events if event.kind != "stream_result"), result])

    record = builders.trial(
        fleet.target(total=None), recounted(gen_a(), "hot", 50_000), recounted(gen_b(), "cold", 1000)
    )
    result = results_of(record)["accounting"]
    assert (result.severity, result.number) == ("error", 23)
    assert "for stream cold (live 1,300, printed 1,000)" in result.message


def test_a_stream_that_comes_by_plan_is_no_drift() -> None:
    def lasting(values: Sequence[int]) -> HostRecord:
        spec = builders.spec(
            measure_s=30,
            host_name="gen-a",
            target=False,
            streams=[fleet.stream("hot"), fleet.stream("cold", start_offset_s=20)],
        )
        late = [
            one for one in builders.intervals(spec, lambda t_s: values, "cold") if one.t0_us >= builders.T0_US + 20e6
        ]
        return builders.host(spec, latency=[*builders.intervals(spec, lambda t_s: HOT_US, "hot"), *late])

    target = builders.host(builders.spec(measure_s=30, streams=[], remote_streams=True))
    assert results_of(builders.trial(target, lasting(COLD_US)))["steady"].severity == "pass"


def test_many_hosts_are_not_all_listed() -> None:
    late = {f"gen-{n}": fleet.with_clock(fleet.generator(f"gen-{n}", {f"s{n}": [100]}), 90_000) for n in range(8)}
    message = results_of(builders.trial(fleet.target(), *late.values()))["clock-skew"].message
    assert "gen-4: " in message
    assert "gen-5" not in message
    assert message.endswith("and 3 more hosts")


def test_an_upstream_server_may_lack_connections_too() -> None:
    record = builders.trial(fleet.target(), gen_a(), fleet.upstream_host(descriptors=500))
    result = results_of(record)["descriptors"]
    assert (result.severity, "upstream: a worker of an upstream server" in result.message) == ("error", True)
