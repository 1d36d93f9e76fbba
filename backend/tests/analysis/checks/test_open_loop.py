"""Streams in open loop and probes, in the summary, the checks and the charts: every figure is known beforehand."""

from dataclasses import replace

import pytest
from analysis import builders
from analysis.builders import Columns, constant, line
from analysis.check_results import results_of
from analysis.scenario import SECOND_US, Scenario, host_columns, nginx_columns, worker_columns
from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.series.derive import derive_all
from ngxlab.analysis.statistics.histograms import Histogram
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_contracts.streams import OpenLoopSpec, RateStep, StreamSpec
from ngxlab_contracts.telemetry import EngineTotals, LatencyInterval, StreamResult

PLAN = OpenLoopSpec(steps=[RateStep(per_s=600, duration_s=12)])
MAIN = StreamSpec(key="main", engine="open-loop", threads=2, connections=100, open_loop=PLAN)
PROBE = StreamSpec(
    key="probe",
    engine="open-loop",
    threads=1,
    connections=4,
    probe=True,
    open_loop=OpenLoopSpec(steps=[RateStep(per_s=10, duration_s=1)], arrivals="poisson"),
)
PROBE_US = [5000] * 10


def totals(completed: int, **changes: int) -> EngineTotals:
    zero = {"connects": 100, "reconnects": 0, "bytes_read": 0, "processes": 2}
    return EngineTotals(**{"sent": completed, "completed": completed, "intended": completed, **zero, **changes})


def ended(stream: str, live: int, stub: int | None, counted: EngineTotals) -> StreamResult:
    return StreamResult(
        t_us=builders.T0_US,
        stream=stream,
        exit_code=0,
        live_requests=live,
        stub_requests=stub,
        printed=None,
        totals=counted,
    )


def counted(stream: str = "main", *, intended: float = 600, sent: float = 600, backlog: float = 3) -> Columns:
    labels = {"stream": stream}
    return [
        ("ngxlab_stream_requests_intended_total", labels, line(intended)),
        ("ngxlab_stream_requests_sent_total", labels, line(sent)),
        ("ngxlab_stream_backlog", labels, lambda t_s: backlog if t_s == 5 else 0.0),
        ("ngxlab_stream_connections", labels, constant(100)),
        ("ngxlab_stream_reconnects_total", labels, line(0)),
        ("ngxlab_stream_errors_total", labels | {"kind": "read"}, lambda t_s: 4.0 if t_s >= 5 else 0.0),
        ("ngxlab_stream_errors_total", labels | {"kind": "timeout"}, constant(0)),
    ]


def measured(samples: list[int], stream: str, quantity: str) -> list[LatencyInterval]:
    found = builders.intervals(builders.spec(), lambda t_s: samples, stream)
    return [LatencyInterval.model_validate(one.model_dump() | {"quantity": quantity}) for one in found]


def record(
    columns: Columns | None = None, *, late_us: int = 50, result: EngineTotals | None = None, per_s: int = 600
) -> HostRecord:
    """600 a second for 12 s, as planned unless told otherwise. ``per_s``: how many of them the histograms hold."""
    whole = Scenario(spec=builders.spec(streams=[MAIN])).build()
    collectors = [nginx_columns(), worker_columns(), host_columns(), counted() if columns is None else columns]
    kept = [event for event in whole.events if not isinstance(event, StreamResult)]
    names = ("stub_status", "process", "host", "generators")
    read = [
        builders.collector(whole.spec, part, layout=number, name=name)
        for number, (name, part) in enumerate(zip(names, collectors, strict=True))
    ]
    return replace(
        whole,
        layouts={layout.id: layout for layout, _ in read},
        frames=sorted((frame for _, frames in read for frame in frames), key=lambda frame: frame.t_us),
        events=[*kept, ended("main", 7200, 7210, result or totals(7200))],
        intervals=[
            *measured(SECOND_US[:per_s], "main", "latency"),
            *measured([100] * per_s, "main", "service"),
            *measured([late_us] * per_s, "main", "schedule"),
        ],
    )


def summary_of(host: HostRecord) -> TrialSummary:
    return summarise_trial(builders.trial(host))


def test_a_stream_in_open_loop_says_what_it_meant_and_what_became_of_it() -> None:
    (stream,) = summary_of(record()).streams
    assert (stream.engine, stream.latency_basis, stream.probe) == ("open-loop", "intended", False)
    assert (stream.intended, stream.sent, stream.backlog_max) == (6000, 6000, 3)
    assert stream.latency is not None
    assert stream.service is not None
    assert stream.schedule is not None
    assert stream.latency.max_us == pytest.approx(1000)
    assert stream.service.p99_us == 100
    assert stream.schedule.p99_us == 50
    assert stream.cpu_s == pytest.approx(3.0)
    assert stream.totals is not None
    assert stream.errors is not None
    assert stream.errors.share_percent == 0


def test_the_engine_s_totals_are_its_own_count_of_the_requests() -> None:
    account = summary_of(record()).accounting
    assert account is not None
    assert (account.live_requests, account.printed_requests, account.stub_requests) == (7200, 7200, 7210)
    broken = summary_of(record(result=totals(7100))).accounting
    assert broken is not None
    assert broken.max_disagreement_percent == pytest.approx(100 * 110 / 7210)


def test_errors_of_every_kind_count() -> None:
    kinds = {f"errors_{kind}": 10 for kind in ("connect", "read", "write", "timeout", "status", "garbage")}
    found = record(result=totals(6000, **kinds))
    (stream,) = summary_of(found).streams
    assert stream.errors is not None
    assert stream.errors.garbage == 10
    assert stream.errors.share_percent == pytest.approx(1.0)
    results = results_of(found)
    assert results["errors"].severity == results["timeouts"].severity == "error"
    assert "50 socket errors and 10 responses" in results["errors"].message


def test_a_stream_without_any_answer_lost_all_of_it() -> None:
    found = record(result=totals(0, errors_connect=3))
    (stream,) = summary_of(found).streams
    assert stream.errors is not None
    assert stream.errors.share_percent == 100
    assert results_of(found)["errors"].severity == "error"


def test_a_probe_is_shown_and_not_counted() -> None:
    wrk = StreamSpec(key="main", engine="wrk", threads=2, connections=100)
    whole = Scenario(spec=builders.spec(streams=[wrk, PROBE])).build()
    probed = replace(
        whole,
        intervals=[*whole.intervals, *measured(PROBE_US, "probe", "latency")],
        events=[*whole.events, ended("probe", 120, None, totals(120))],
    )
    found, without = summary_of(probed), summary_of(Scenario().build())
    assert found.requests_per_s == without.requests_per_s == 600
    assert found.requests == without.requests
    assert found.latency == without.latency
    assert found.latency_histogram is not None
    assert Histogram.decode(found.latency_histogram).total == 6000
    own = found.streams[1]
    assert (own.stream, own.probe, own.requests) == ("probe", True, 100)
    assert own.latency is not None
    assert own.latency.p50_us == pytest.approx(5000, rel=0.001)
    assert found.accounting is not None
    assert found.accounting.live_requests == 7200 + 120


def test_a_trial_of_probes_only_is_its_probes() -> None:
    alone = record()
    spec = alone.spec.model_copy(update={"streams": [MAIN.model_copy(update={"probe": True})]})
    assert summary_of(replace(alone, spec=spec)).requests_per_s == 600


def test_an_open_loop_that_kept_its_plan_passes() -> None:
    results = results_of(record())
    found = results["open-loop-behind"]
    assert (found.number, found.severity) == (2, "pass")
    assert found.message == (
        "100 % of the requests that were due were sent; the generator's own delay was at most 0.05 ms (p99)"
    )
    assert results["coordinated-omission"].severity == "pass"


BEHIND = {
    "sent too little": (record(counted(sent=590)), "error", "sent 5,900 of 6,000 intended"),
    "a second's backlog": (record(counted(backlog=601)), "error", "601 requests of stream main waited"),
    "itself late": (record(late_us=1500), "warning", "was up to 1.5 ms late"),
    "itself late, with too few requests for a p99": (record(late_us=1500, per_s=60), "warning", "1.5 ms late (p90)"),
    "not read": (record([]), "unavailable", "were not read"),
}


@pytest.mark.parametrize("how", BEHIND)
def test_an_open_loop_behind_its_plan(how: str) -> None:
    found, severity, words = BEHIND[how]
    result = results_of(found)["open-loop-behind"]
    assert (result.severity, words in result.message) == (severity, True), result.message


def test_latency_of_a_closed_loop_is_named_beside_an_open_one() -> None:
    wrk = StreamSpec(key="busy", engine="wrk", threads=2, connections=100)
    both = Scenario(spec=builders.spec(streams=[wrk, MAIN])).build()
    result = results_of(both)["coordinated-omission"]
    assert result.severity == "info"
    assert result.message.startswith("latencies of busy are service times under a closed loop")


def test_connections_over_processes_may_leave_a_remainder() -> None:
    uneven = MAIN.model_copy(update={"threads": 3})
    found = record()
    spec = found.spec.model_copy(update={"streams": [uneven]})
    assert results_of(replace(found, spec=spec))["concurrency"].severity == "pass"


def test_charts_of_what_the_engine_counts() -> None:
    found = {(one.key, one.label): dict(one.points) for one in derive_all(record())}
    assert found["stream_backlog", "main"][5.0] == 3
    assert found["stream_backlog", "main"][6.0] == 0
    assert found["stream_connections", "main"][5.0] == 100
    assert found["stream_errors_per_s", "main read"] == {float(t): 4.0 if t == 5 else 0.0 for t in range(5, 11)}
    assert not any(label in {"main timeout", "main reconnect"} for _, label in found)
    assert found["service_ms", "main p99"][5.0] == pytest.approx(0.1)
