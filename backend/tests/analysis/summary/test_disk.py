"""What came from the disk, what was written, and what nginx itself says: every figure is known beforehand."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from analysis import builders
from analysis.builders import Column, Columns, Value, constant, line
from analysis.check_results import results_of
from analysis.scenario import SECOND_US, Scenario, worker_columns
from ngxlab.analysis.schemas import CheckResult, TrialSummary
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.streams import PathChoice, StreamSpec
from ngxlab_contracts.telemetry import Event, LatencyInterval, NginxTotal, TemporaryFiles
from ngxlab_contracts.trials import TrialSpec

REQUESTS_PER_S = len(SECOND_US)
RESPONSE_BYTES = 100
"""The size of each response, as :func:`builders.wrk_print` has it."""
SERVED = REQUESTS_PER_S * RESPONSE_BYTES


def without_reads() -> list[Column]:
    return [column for column in worker_columns() if column[0] != "ngxlab_process_read_bytes_total"]


def at_first(share: float) -> Value:
    """1 in the first part of the window's ten seconds, then 0."""
    return lambda t_s: float(t_s % 10 < 10 * share)


def reading(bytes_per_s: float, *, blocked: Sequence[float] = (0, 0, 0, 0)) -> Columns:
    """Four workers that read evenly; ``blocked``: the share of readings that find each in state D."""
    columns = without_reads()
    for index, share in enumerate(blocked):
        labels = {"role": "nginx-worker", "index": str(index)}
        columns += [
            ("ngxlab_process_read_bytes_total", labels, line(bytes_per_s / 4)),
            ("ngxlab_process_written_bytes_total", labels, line(REQUESTS_PER_S * 2000 / 4)),
            ("ngxlab_process_write_syscalls_total", labels, line(REQUESTS_PER_S * 3 / 4)),
            ("ngxlab_process_main_thread_blocked", labels, at_first(share)),
        ]
    return columns


def spec(files: Sequence[FileSet], streams: Sequence[StreamSpec] | None = None) -> TrialSpec:
    of = builders.spec(streams=streams)
    assert of.nginx is not None
    return of.model_copy(update={"nginx": of.nginx.model_copy(update={"files": list(files)})})


def summary_of(scenario: Scenario) -> TrialSummary:
    return summarise_trial(builders.trial(scenario.build()))


def check_of(scenario: Scenario) -> CheckResult:
    record = builders.trial(scenario.build())
    return results_of(record)["page-cache"]


COLD = FileSet(folder="cold", count=10, size_bytes=RESPONSE_BYTES, cold=True)
WARM = FileSet(folder="warm", count=1, size_bytes=RESPONSE_BYTES)


def test_what_was_written_is_told_by_request() -> None:
    values = summary_of(Scenario(spec=spec([COLD]), processes=reading(SERVED * 0.8))).metric_values
    assert values["disk_read_bytes_per_s"] == pytest.approx(SERVED * 0.8)
    assert values["bytes_from_disk_percent"] == pytest.approx(80)
    assert values["disk_written_bytes_per_request"] == pytest.approx(2000, rel=0.01)
    assert values["write_syscalls_per_request"] == pytest.approx(3, rel=0.01)


@pytest.mark.parametrize(
    ("files", "share", "severity", "said"),
    [
        ([COLD, WARM], 0.8, "pass", "80 %"),
        ([COLD, WARM], 3.0, "pass", "300 %"),
        ([COLD, WARM], 0.49, "error", "not cold: "),
        ([WARM], 0.009, "pass", "1 %"),
        ([WARM], 0.02, "warning", "not warm: "),
        ([], 0.5, "pass", "no files are served"),
    ],
)
def test_files_come_from_where_they_were_meant_to(files: list[FileSet], share: float, severity: str, said: str) -> None:
    result = check_of(Scenario(spec=spec(files), processes=reading(SERVED * share)))
    assert (result.severity, said in result.message) == (severity, True), result.message


def test_only_streams_to_cold_files_count() -> None:
    """Two streams at the same rate: the half of all bytes is all of the cold ones'."""
    streams = [
        StreamSpec(key="main", engine="wrk", threads=1, connections=1, paths=PathChoice(pattern="/cold/{n}", count=10)),
        StreamSpec(key="hot", engine="wrk", threads=1, connections=1, path="/warm/0"),
    ]
    of = spec([COLD, WARM], streams)
    result = builders.stream_result("hot", live=7200, printed=7200, stub=None)
    record = Scenario(spec=of, processes=reading(SERVED), extra=[result]).build()
    record = replace(record, intervals=[*record.intervals, *builders.intervals(of, lambda _: SECOND_US, "hot")])
    assert summarise_trial(builders.trial(record)).metric_values["bytes_from_disk_percent"] == pytest.approx(100)


def test_without_the_processes_io_nothing_is_claimed() -> None:
    assert check_of(Scenario(spec=spec([COLD]), processes=without_reads())).severity == "unavailable"


def test_blocked_workers_are_those_whose_main_thread_is() -> None:
    of = builders.spec(interval_ms=100)
    values = summary_of(Scenario(spec=of, processes=reading(0, blocked=(0.8, 0.4, 0, 0)))).metric_values
    assert values["worker_blocked_percent"] == pytest.approx(30, abs=0.5)


def nginx_intervals(of: TrialSpec, quantity: Any, samples: Sequence[int]) -> list[LatencyInterval]:
    """Each second's requests in two parts, as lines come late."""
    cut = builders.intervals(of, lambda _: samples, "nginx")
    return [one.model_copy(update={"quantity": quantity}) for one in cut for _ in range(2)]


def test_nginx_s_own_times_stand_beside_the_generators() -> None:
    of = builders.spec()
    record = Scenario(spec=of).build()
    own = nginx_intervals(of, "request_time", [1000] * 98 + [50_000] * 2)
    upstream = nginx_intervals(of, "upstream_time", [7000] * 100)
    summary = summarise_trial(builders.trial(replace(record, intervals=[*record.intervals, *own, *upstream])))
    assert summary.metric_values["request_time_p50_ms"] == pytest.approx(1, rel=0.001)
    assert summary.metric_values["request_time_p99_ms"] == pytest.approx(50, rel=0.001)
    assert summary.metric_values["upstream_time_p50_ms"] == pytest.approx(7, rel=0.001)
    assert summary.metric_values["upstream_time_p99_ms"] == pytest.approx(7, rel=0.001)
    assert summary.requests == summary_of(Scenario(spec=of)).requests


def test_temporary_files_are_told_by_thousand_requests() -> None:
    extra: list[Event] = [
        NginxTotal(t_us=builders.T0_US, requests=8000),
        TemporaryFiles(t_us=builders.T0_US, requests=7000, responses=1000, log_bytes=1_600_000),
    ]
    assert summary_of(Scenario(extra=extra)).metric_values["temp_file_warnings_per_1000_requests"] == pytest.approx(
        1000
    )


def test_the_host_s_figures() -> None:
    host = [
        ("node_cpu_seconds_total", {"cpu": "0", "mode": "iowait"}, line(0.3)),
        ("node_cpu_seconds_total", {"cpu": "0", "mode": "user"}, line(0.7)),
        ("node_load1", {}, constant(12.5)),
        ("node_network_receive_bytes_total", {"device": "eth0"}, line(1000)),
        ("node_network_transmit_bytes_total", {"device": "eth0"}, line(3000)),
    ]
    values = summary_of(Scenario(host=host)).metric_values
    assert values["iowait_percent"] == pytest.approx(30)
    assert values["load1"] == 12.5
    assert values["network_in_bits_per_s"] == pytest.approx(8000)
    assert values["network_out_bits_per_s"] == pytest.approx(24_000)
