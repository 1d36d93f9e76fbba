"""wrk's print: real output in golden/."""

from pathlib import Path

import pytest
from ngxlab_contracts.telemetry import WrkPrint
from ngxlab_worker.engines.wrk.report import parse_report

GOLDEN = Path(__file__).parent / "golden"


def parse(name: str) -> WrkPrint:
    report = parse_report((GOLDEN / f"{name}.txt").read_text())
    assert report is not None
    return report


def test_a_report_with_latencies_in_us_and_ms() -> None:
    report = parse("keep_alive")
    assert report == WrkPrint(
        requests=75163,
        duration_s=1.01,
        bytes_read=round(10.75 * 2**20),
        requests_per_s=74551.53,
        latency_avg_us=536.46,
        latency_stdev_us=442.69,
        latency_max_us=5390,
        latency_p50_us=466,
        latency_p75_us=564,
        latency_p90_us=749,
        latency_p99_us=2860,
    )


def test_seconds_and_minutes() -> None:
    slow = parse("slow")
    assert (slow.latency_avg_us, slow.latency_p99_us, slow.bytes_read) == (2_500_000, 2_500_000, 400)
    assert slow.latency_stdev_us == 137.67
    assert parse("minute").duration_s == pytest.approx(1.02 * 60)


def test_gigabytes() -> None:
    assert parse("gigabytes").bytes_read == round(2.30 * 2**30)


def test_statuses_without_a_latency_distribution() -> None:
    report = parse("status_no_latency")
    assert report.errors_status == report.requests == 77902
    assert report.latency_avg_us == 482.5
    assert report.latency_p99_us is None


def test_socket_errors() -> None:
    report = parse("read_errors")
    assert (report.errors_connect, report.errors_read, report.errors_write, report.errors_timeout) == (0, 14288, 0, 0)


def test_requests_beyond_the_timeout_have_no_latency() -> None:
    report = parse("timeouts")
    assert (report.requests, report.errors_timeout) == (14, 14)
    assert report.latency_avg_us is None
    assert report.latency_p50_us is None


def test_nothing_recorded() -> None:
    report = parse("nothing_recorded")
    assert (report.requests, report.requests_per_s, report.bytes_read) == (0, 0, 0)
    assert report.latency_max_us is None


@pytest.mark.parametrize("name", ["refused", "killed"])
def test_no_report(name: str) -> None:
    assert parse_report((GOLDEN / f"{name}.txt").read_text()) is None
