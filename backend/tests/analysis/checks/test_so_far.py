"""Checks of a trial that is still measured, on what has arrived of it."""

from dataclasses import replace

import pytest
from analysis import builders, scenario
from analysis.builders import Columns, line
from analysis.checks import test_ineffective
from analysis.checks.test_open_loop import MAIN
from analysis.scenario import Scenario
from ngxlab.analysis.checks import check_so_far
from ngxlab.analysis.records import HostRecord
from ngxlab_contracts.telemetry import PhaseEvent


def up_to(record: HostRecord, seconds: float) -> HostRecord:
    """What has arrived when the window has lasted so long: no phase after it, no result of a stream."""
    began_us = record.phase_at_us("measure")
    assert began_us is not None
    until_us = began_us + round(seconds * 1e6)
    later = {"cooldown", "cleanup"}
    return replace(
        record,
        frames=[frame for frame in record.frames if frame.t_us <= until_us],
        intervals=[interval for interval in record.intervals if interval.t1_us <= until_us],
        events=[
            event
            for event in record.events
            if event.kind not in {"stream_result", "end", "artefact"}
            and not (isinstance(event, PhaseEvent) and event.phase in later)
        ],
    )


def fired(record: HostRecord) -> dict[str, str] | None:
    results = check_so_far(builders.trial(record, state="measuring"))
    return None if results is None else {result.key: result.severity for result in results}


def saturated() -> Columns:
    columns = scenario.worker_columns()
    return [(name, labels, line(0.97) if "thread_run" in name else value) for name, labels, value in columns]


def test_nothing_fires_in_a_healthy_trial_at_any_time() -> None:
    record = Scenario(spec=builders.spec(measure_s=30)).build()
    assert [fired(up_to(record, seconds)) for seconds in (10, 17, 29)] == [{}, {}, {}]


def test_a_saturated_generator_is_flagged_long_before_the_end() -> None:
    record = Scenario(spec=builders.spec(measure_s=30), processes=saturated()).build()
    assert fired(up_to(record, 10)) == {"generator-saturated": "error"}


def test_settings_that_the_load_never_meets_are_flagged_long_before_the_end() -> None:
    server = "limit_req zone=one; gzip on; http2 on; return 200;"
    of = builders.spec(measure_s=30, config=test_ineffective.written(server))
    flags = {"limits-bypassed", "http-version", "compression"}
    assert flags <= (fired(up_to(Scenario(spec=of).build(), 10)) or {}).keys()


@pytest.mark.parametrize(("measure_s", "seconds"), [(30, 9), (6, 2), (12, 3)])
def test_a_short_beginning_says_nothing(measure_s: float, seconds: float) -> None:
    record = Scenario(spec=builders.spec(measure_s=measure_s), processes=saturated()).build()
    assert fired(up_to(record, seconds)) is None


def test_an_engine_that_counts_its_errors_as_it_goes_is_flagged_for_them() -> None:
    labels = {"stream": "main"}
    kinds = ("connect", "read", "write", "timeout", "status", "garbage")
    counters: Columns = [
        ("ngxlab_stream_requests_completed_total", labels, line(600)),
        *[
            ("ngxlab_stream_errors_total", labels | {"kind": kind}, line(5 if kind == "timeout" else 0))
            for kind in kinds
        ],
    ]
    of = builders.spec(measure_s=30, streams=[MAIN])
    record = Scenario(spec=of, processes=[*scenario.worker_columns(), *counters]).build()
    assert {"timeouts": "error", "errors": "error"}.items() <= (fired(up_to(record, 12)) or {}).items()
