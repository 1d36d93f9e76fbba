"""A rejected request is no served request: in no rate, in no latency, and in figures of its own."""

from collections.abc import Sequence

import pytest
from analysis import builders
from ngxlab.analysis.checks import check_trial
from ngxlab.analysis.metrics import METRICS
from ngxlab.analysis.schemas import CheckResult, TrialSummary
from ngxlab.analysis.statistics.histograms import require_sound
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.statuses import Status
from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, LatencyInterval, StreamResult, WrkPrint

SERVED_US = [1000] * 100
REJECTED_US = [50] * 300
"""A second."""
SECONDS = 12
"""Warm-up and window."""


def open_loop(rejected: Sequence[Status] = (), served: Sequence[Status] = ("2xx", "3xx")) -> StreamSpec:
    return StreamSpec(
        key="main",
        engine="open-loop",
        threads=1,
        connections=100,
        open_loop=OpenLoopSpec(steps=[RateStep(per_s=400, duration_s=1)]),
        served_statuses=list(served),
        rejected_statuses=list(rejected),
    )


def wrk(rejected: Sequence[Status] = ()) -> StreamSpec:
    return StreamSpec(key="main", engine="wrk", threads=2, connections=100, rejected_statuses=list(rejected))


def totals(statuses: dict[str, int] | None, errors_status: int = 300 * SECONDS) -> EngineTotals:
    count = 400 * SECONDS
    plain = {"connects": 100, "reconnects": 0, "bytes_read": 1, "processes": 1, "intended": count}
    return EngineTotals(sent=count, completed=count, statuses=statuses, errors_status=errors_status, **plain)


STATUSES = {"200": 100 * SECONDS, "429": 299 * SECONDS, "500": SECONDS}


def summarised(
    stream: StreamSpec, intervals: list[LatencyInterval], said: EngineTotals | WrkPrint
) -> tuple[TrialSummary, dict[str, CheckResult]]:
    own = {"totals": said} if isinstance(said, EngineTotals) else {"printed": said}
    count = 400 * SECONDS
    result = StreamResult.model_validate(
        {"t_us": builders.T0_US, "stream": "main", "exit_code": 0, "live_requests": count, "stub_requests": count}
        | {"printed": None, **own}
    )
    record = builders.trial(builders.host(builders.spec(streams=[stream]), [], intervals, [result]))
    summary = summarise_trial(record)
    return summary, {check.key: check for check in check_trial(record, summary)}


def apart() -> list[LatencyInterval]:
    """As our own engines report."""
    of = builders.spec()
    rejected = [
        one.model_copy(update={"quantity": "rejected"}) for one in builders.intervals(of, lambda _: REJECTED_US)
    ]
    return [*builders.intervals(of, lambda _: SERVED_US), *rejected]


def counted_apart() -> list[LatencyInterval]:
    """As wrk is read: one histogram, two counts."""
    mixed = builders.intervals(builders.spec(), lambda _: [*SERVED_US, *REJECTED_US])
    served = [one.model_copy(update={"count": 100}) for one in mixed]
    return [
        *served,
        *(one.model_copy(update={"count": 300, "histogram": None, "quantity": "rejected"}) for one in mixed),
    ]


def mixed() -> list[LatencyInterval]:
    """As agents before 1.2 report, or where wrk's counts are not readable."""
    return builders.intervals(builders.spec(), lambda _: [*SERVED_US, *REJECTED_US])


def metric(summary: TrialSummary, key: str) -> float | None:
    return next(one for one in METRICS if one.info.key == key).value(summary)


def test_an_engine_that_tells_statuses_gives_both_apart() -> None:
    summary, checks = summarised(open_loop([429]), apart(), totals(STATUSES))
    assert summary.requests_per_s == pytest.approx(100)
    assert summary.latency is not None
    assert summary.latency.p50_us == pytest.approx(1000, rel=0.01)
    assert metric(summary, "rejected_per_s") == pytest.approx(300)
    assert metric(summary, "rejected_percent") == pytest.approx(75)
    assert metric(summary, "rejected_latency_p99_us") == pytest.approx(50, rel=0.02)
    (stream,) = summary.streams
    assert stream.rejected is not None
    assert stream.rejected.told_apart == "all"
    assert stream.rejected.statuses == {"429": 299 * SECONDS, "500": SECONDS}
    assert stream.rejected.per_s == pytest.approx(300)
    assert checks["served-latency"].severity == checks["served-rate"].severity == "pass"
    assert "3,000 rejected responses are apart" in checks["served-latency"].message


@pytest.mark.parametrize(
    ("expected", "severity", "status_errors"),
    [([429, "5xx"], "pass", 0), ([429], "error", SECONDS), ([], "error", 300 * SECONDS)],
)
def test_a_status_that_the_stream_expects_is_no_error(
    expected: list[Status], severity: str, status_errors: int
) -> None:
    summary, checks = summarised(open_loop(expected), apart(), totals(STATUSES))
    (stream,) = summary.streams
    assert stream.errors is not None
    assert stream.errors.status == status_errors
    assert stream.errors.share_percent == pytest.approx(100 * status_errors / (400 * SECONDS))
    assert checks["errors"].severity == severity


def test_what_a_stream_names_as_served_is_served() -> None:
    found = builders.intervals(builders.spec(), lambda _: SERVED_US)
    summary, checks = summarised(open_loop(served=[404]), found, totals({"404": 400 * SECONDS}, errors_status=0))
    assert summary.streams[0].rejected is not None
    assert summary.streams[0].rejected.statuses == {}
    assert checks["errors"].severity == checks["served-latency"].severity == "pass"
    assert checks["served-latency"].message == "no response was rejected"


def test_wrk_has_the_rate_of_served_requests_and_a_latency_of_all_which_is_void() -> None:
    said = builders.wrk_print(400 * SECONDS, errors_status=300 * SECONDS)
    said = said.model_copy(update={"statuses": {"200": 100 * SECONDS, "429": 300 * SECONDS}})
    summary, checks = summarised(wrk([429]), counted_apart(), said)
    assert summary.requests_per_s == pytest.approx(100)
    assert metric(summary, "rejected_per_s") == pytest.approx(300)
    assert metric(summary, "rejected_latency_p50_us") is None
    assert checks["errors"].severity == "pass"
    assert checks["served-rate"].severity == "pass"
    assert checks["served-latency"].severity == "error"
    assert "includes 3,600 rejected responses (75 % of all)" in checks["served-latency"].message
    assert checks["served-latency"].voids == ["latency"]


def test_where_nothing_is_told_apart_the_rate_is_void_too() -> None:
    said = builders.wrk_print(400 * SECONDS, errors_status=300 * SECONDS)
    _, checks = summarised(wrk(), mixed(), said)
    assert (checks["served-rate"].severity, checks["served-rate"].voids) == ("error", ["throughput"])
    assert checks["served-latency"].severity == "error"
    _, checks = summarised(open_loop(), mixed(), totals(None))
    assert checks["served-rate"].severity == "error"


def test_a_few_rejections_do_not_void_anything() -> None:
    said = builders.wrk_print(400 * SECONDS, errors_status=4)
    _, checks = summarised(wrk(), mixed(), said)
    assert checks["served-rate"].severity == checks["served-latency"].severity == "pass"


def test_a_histogram_may_hold_more_than_the_served() -> None:
    payload = builders.histogram([1, 2, 3])
    require_sound(payload, 2, may_hold_more=True)
    with pytest.raises(ValueError, match="3 values instead of 2"):
        require_sound(payload, 2)
    with pytest.raises(ValueError, match="3 values instead of 4"):
        require_sound(payload, 4, may_hold_more=True)
