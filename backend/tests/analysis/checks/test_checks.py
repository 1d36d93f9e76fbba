"""Each rule: silent on a healthy trial, speaking where its fault is put in, unavailable where its data lack."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from analysis import builders, scenario
from analysis.builders import constant, line
from analysis.check_results import given, results_of
from analysis.scenario import Scenario
from ngxlab.analysis.checks import trial_checks
from ngxlab.analysis.checks.check import figure
from ngxlab.analysis.checks.host import parse_cpu_list
from ngxlab.analysis.records import HostRecord
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.trials import TrialSpec


def long_trial() -> Scenario:
    return Scenario(spec=builders.spec(measure_s=30))


def drifting(per_second: Callable[[int], int]) -> HostRecord:
    scene = long_trial()
    latency = builders.intervals(scene.spec, lambda t_s: [100] * per_second(t_s))
    return replace(scene.build(), intervals=latency)


def swap(columns: builders.Columns, name: str, value: builders.Value) -> builders.Columns:
    return [(key, labels, value if key == name else old) for key, labels, old in columns]


def first_of_the_run() -> TrialSpec:
    return builders.spec().model_copy(update={"position": 0})


def waiting(ran: float, waited: float) -> builders.Columns:
    """Processes whose generator thread ran and waited for a CPU for these shares of the time."""
    columns = swap(scenario.worker_columns(), "ngxlab_thread_run_seconds_total", line(ran))
    threads = sum(name == "ngxlab_thread_run_seconds_total" for name, _, _ in columns)
    labels = {"role": "generator", "stream": "main", "index": "0"}
    kept = [one for one in columns if one[1].get("role") != "generator" or not one[0].startswith("ngxlab_process_run")]
    return [
        *kept,
        ("ngxlab_process_run_seconds_total", labels, line(ran * threads)),
        ("ngxlab_process_run_delay_seconds_total", labels, line(waited * threads)),
    ]


def test_a_healthy_trial_passes() -> None:
    results = results_of(long_trial().build())
    assert len(results) == len(trial_checks())
    notable = {key: result.severity for key, result in results.items() if result.severity != "pass"}
    assert notable == {"coordinated-omission": "info"}
    assert all(result.remedy is None for result in results.values() if result.severity == "pass")


def test_without_data_nothing_passes_that_was_not_seen() -> None:
    of = builders.spec()
    record = replace(builders.host(of), inventory=None)
    results = results_of(record)
    seen_without_readings = {
        "clock-skew",
        "compression",
        "coordinated-omission",
        "http-version",
        "limits-bypassed",
        "measurement-degraded",
        "open-loop-behind",
        "perturbations",
        "start-spread",
        *given("SEEN_WITHOUT_READINGS"),
    }
    assert {key for key, result in results.items() if result.severity != "unavailable"} == seen_without_readings
    assert all(result.message for result in results.values())


@pytest.mark.parametrize(
    ("counts", "severity"),
    [
        ((7200, 7200, 7300), "pass"),  # 100 connections had a request under way when the load ended
        ((7190, 7200, 7310), "pass"),
        ((7200, 7200, 7400), "error"),
        ((7300, 7300, 7200), "error"),  # no answer without a request
        ((7050, 7200, 7200), "error"),  # the two counts of one generator lie farther apart than requests in flight
        ((69, 70, 70), "pass"),  # few large responses: one of them is more than a percent
    ],
)
def test_requests_under_way_at_the_end_are_no_disagreement(counts: tuple[int, int, int], severity: str) -> None:
    assert results_of(Scenario(counts=counts).build())["accounting"].severity == severity


@pytest.mark.parametrize(("counted", "severity"), [(26, "pass"), (27, "pass"), (28, "error")])
def test_a_poll_of_the_agent_that_a_blocked_worker_has_not_answered_is_no_disagreement(
    counted: int, severity: str
) -> None:
    streams = [one.model_copy(update={"connections": 2}) for one in builders.spec().streams]
    record = Scenario(spec=builders.spec(streams=streams), counts=(24, 24, counted)).build()
    assert results_of(record)["accounting"].severity == severity


@pytest.mark.parametrize(("active", "severity"), [(81, "error"), (101, "pass"), (181, "pass")])
def test_with_http3_nginx_counts_requests_as_connections_too(active: int, severity: str) -> None:
    streams = [one.model_copy(update={"protocol": "http/3"}) for one in builders.spec().streams]
    record = Scenario(spec=builders.spec(streams=streams), nginx=scenario.nginx_columns(active=active)).build()
    assert results_of(record)["concurrency"].severity == severity


@pytest.mark.parametrize(("held", "severity"), [(60, "error"), (99, "pass"), (100, "pass")])
def test_with_http3_the_generators_count_shows_what_requests_hide_from_nginx(held: int, severity: str) -> None:
    streams = [one.model_copy(update={"protocol": "http/3"}) for one in builders.spec().streams]
    told = ("ngxlab_stream_connections", {"stream": streams[0].key}, constant(held))
    record = Scenario(
        spec=builders.spec(streams=streams),
        nginx=scenario.nginx_columns(active=161),
        processes=[*scenario.worker_columns(), told],
    ).build()
    result = results_of(record)["concurrency"]
    assert result.severity == severity
    assert severity == "pass" or "60 connections were open by the generator's count" in str(result.message)


FAULTS: list[tuple[str, str, Scenario, str]] = [
    (
        "generator-saturated",
        "error",
        Scenario(processes=swap(scenario.worker_columns(), "ngxlab_thread_run_seconds_total", line(0.95))),
        "95 % of a core",
    ),
    ("shared-cores", "warning", Scenario(pins=("0-1", "1")), "the generator and nginx share 1 core:"),
    ("timeouts", "error", Scenario(errors={"errors_timeout": 3}), "3 requests timed out"),
    ("errors", "error", Scenario(errors={"errors_status": 8}), "8 responses with an unexpected status"),
    ("errors", "error", Scenario(errors={"errors_status": 7190}), "7190 responses with an unexpected status (100 %)"),
    ("concurrency", "error", Scenario(nginx=scenario.nginx_columns(active=81)), "80 connections were open"),
    ("concurrency", "error", Scenario(errors={"errors_connect": 2}), "2 connections failed"),
    (
        "ports",
        "warning",
        Scenario(host=swap(scenario.host_columns(), "node_sockstat_TCP_tw", constant(20_000))),
        "20,000 sockets in TIME-WAIT, 28,232 local ports; no connection failed for want of one",
    ),
    (
        "descriptors",
        "error",
        Scenario(spec=builders.spec(config="events { worker_connections 64; } http {}")),
        "worker_connections is 64",
    ),
    (
        "nginx-log",
        "error",
        Scenario(extra=[builders.note("nginx-worker-connections", "3 times in nginx's error log: not enough")]),
        "3 times",
    ),
    (
        "ports",
        "error",
        Scenario(extra=[builders.artefact("error.log", "connect() failed (99: Cannot assign requested address)")]),
        "28,232 local ports",
    ),
    ("accept-queue", "warning", Scenario(host=scenario.host_columns(overflows=2)), "20 listen overflows"),
    (
        "conntrack",
        "error",
        Scenario(host=swap(scenario.host_columns(), "node_nf_conntrack_entries", constant(900))),
        "900 of 1,000",
    ),
    ("cpu-frequency", "warning", Scenario(inventory=builders.inventory(governor="powersave")), "powersave"),
    (
        "noisy-host",
        "warning",
        Scenario(spec=first_of_the_run(), host=scenario.host_columns(load=1.5)),
        "load average before the run 1.50",
    ),
    ("keepalive-requests", "warning", Scenario(nginx=scenario.nginx_columns(accepts_per_s=12)), "120 connections"),
    ("loopback", "info", Scenario(host=scenario.host_columns(device="lo")), "loopback (12 Mbit/s"),
    ("link-speed", "warning", Scenario(inventory=builders.inventory(speed_mbps=17)), "94 % of its link speed"),
    (
        "generator-saturated",
        "warning",
        Scenario(processes=waiting(ran=0.6, waited=0.35)),
        "ran 60 % of the time and waited for a CPU for 35 %",
    ),
    ("accounting", "error", Scenario(counts=(7200, 7200, 7400)), "differ by 2.70 %"),
    (
        "measurement-degraded",
        "warning",
        Scenario(latency=False),
        "memory was not readable",
    ),
    (
        "measurement-degraded",
        "error",
        Scenario(extra=[builders.note("x-failed", "gone")]),
        "gone (x-failed)",
    ),
]


@pytest.mark.parametrize(
    ("key", "severity", "scene", "words"), FAULTS, ids=[f"{f[0]}-{n}" for n, f in enumerate(FAULTS)]
)
def test_a_fault_is_found_and_said(key: str, severity: str, scene: Scenario, words: str) -> None:
    result = results_of(scene.build())[key]
    assert result.severity == severity
    assert words in result.message
    assert result.remedy
    assert result.trial_ids == [scene.spec.trial_id]


def test_a_trial_that_failed_early_passes_nothing_about_its_window() -> None:
    record = replace(builders.host(builders.spec(), events=[]), inventory=None)
    passing = {key for key, result in results_of(record).items() if result.severity == "pass"}
    assert passing == {"clock-skew"}


def test_wrk_drops_the_remainder_of_connections_over_threads() -> None:
    stream = StreamSpec(key="main", engine="wrk", threads=3, connections=10)
    result = results_of(Scenario(spec=builders.spec(streams=[stream])).build())["concurrency"]
    assert result.severity == "error"
    assert "9 are opened" in result.message


def test_closing_connections_are_not_judged_by_keepalive_rules() -> None:
    scene = Scenario(
        spec=builders.spec(streams=[scenario.closing_stream()]),
        nginx=scenario.nginx_columns(accepts_per_s=600, active=40),
    )
    results = results_of(scene.build())
    assert results["keepalive-requests"].severity == "pass"
    assert results["concurrency"].severity == "pass"


def test_other_processes_are_told_from_our_own() -> None:
    """The host is 55 % busy on 2 CPUs; nginx, wrk and the agent account for 0.8 + 0.3 + 0.004 of 2 cores."""
    calm = results_of(Scenario().build())["noisy-host"]
    assert calm.severity == "pass"
    assert "other processes 0.0 %" in calm.message
    busy = results_of(Scenario(host=swap_user(0.6)).build())["noisy-host"]
    assert busy.severity == "warning"


def swap_user(slope: float) -> builders.Columns:
    """More user time on CPU 0, at the expense of idle time."""
    changed = {("0", "user"): line(slope), ("0", "idle"): line(0.65 - slope)}
    return [
        (name, labels, changed.get((labels.get("cpu", ""), labels.get("mode", "")), value))
        for name, labels, value in scenario.host_columns()
    ]


def test_sampling_gaps_warn() -> None:
    record = Scenario().build()
    middle = builders.T0_US + 6_000_000
    holes = [frame for frame in record.frames if not middle < frame.t_us < middle + 3_000_000]
    result = results_of(replace(record, frames=holes))["sampler"]
    assert result.severity == "warning"
    assert "6 of 30 readings" in result.message


def test_a_drift_is_not_steady() -> None:
    result = results_of(drifting(lambda t_s: 500 + 10 * t_s))["steady"]
    assert result.severity == "warning"
    # From 500 to 790, of a mean of 645.
    assert "trend of +45.0 %" in result.message


def test_noise_around_a_level_is_steady() -> None:
    assert results_of(drifting(lambda t_s: 500 + 40 * (t_s % 2)))["steady"].severity == "pass"


def test_a_short_window_cannot_tell() -> None:
    short = Scenario(spec=builders.spec(measure_s=7))
    assert results_of(short.build())["steady"].severity == "unavailable"


def test_the_load_of_the_trials_before_is_no_noise() -> None:
    assert results_of(Scenario(host=scenario.host_columns(load=1.5)).build())["noisy-host"].severity == "pass"


def test_connections_that_nginx_closes_after_each_request_are_not_counted() -> None:
    spec = builders.spec(config="events { worker_connections 1024; } http { access_log off; keepalive_timeout 0; }")
    closing = Scenario(spec=spec, nginx=scenario.nginx_columns(active=3, accepts_per_s=600))
    results = results_of(closing.build())
    assert (results["concurrency"].severity, results["keepalive-requests"].severity) == ("pass", "pass")


def test_histograms_that_lack_the_end_are_told() -> None:
    record = Scenario(counts=(7140, 7200, 7210)).build()
    events = [
        event.model_copy(update={"live_unavailable_reason": "the last 90 ms of wrk could not be read"})
        if event.kind == "stream_result"
        else event
        for event in record.events
    ]
    result = results_of(replace(record, events=events))["accounting"]
    assert result.severity == "warning"
    assert "lack 0.83 %" in result.message


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (0.00001, "0.00001"), (0.0336, "0.034"), (99.9, "100"), (1634, "1,600")]
)
def test_no_number_is_said_as_a_power_of_ten(value: float, text: str) -> None:
    assert figure(value) == text


def test_cpu_lists() -> None:
    assert parse_cpu_list("0-2,8") == {0, 1, 2, 8}
    assert parse_cpu_list("5") == {5}
