"""What happened around a moment: events and log lines near it, and lines that stood out, with known answers."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from ngxlab.analysis.moment import MOST_LINES, NEIGHBOURS, events_near, jumps_near, unknown_near
from ngxlab.analysis.series.schemas import DerivedSeries
from ngxlab_contracts.telemetry import Artefact, Event, NoteEvent, PhaseEvent, ProcessEvent, TrialEnd

T0_US = 1_700_000_000_000_000
"""2023-11-14 22:13:20 UTC: the measured window begins."""
LOG = """\
2023/11/15 06:13:15 [notice] 7#7: start
2023/11/15 06:13:30 [warn] 8#8: *4 a client request body is buffered to a temporary file /t/1
    of two lines
2023/11/15 06:13:50 [alert] 7#7: worker process 8 exited on signal 9
"""
"""By the clock of Shanghai."""


def line(key: str, label: str, value: Callable[[float], float | None], every_s: float = 1.0) -> DerivedSeries:
    """For a minute, so often."""
    times = np.arange(0, 60, every_s).tolist()
    return DerivedSeries(key=key, label=label, unit="%", points=[(t, value(t)) for t in times])


def wave(t: float) -> float:
    return 40 + 2 * math.sin(7 * t)


def spiked(at: float, by: float, of: Callable[[float], float] = wave) -> Callable[[float], float]:
    return lambda t: of(t) + (by if abs(t - at) < 0.5 else 0)


def test_events_and_log_lines_stand_at_their_times_whatever_the_zone_of_the_host() -> None:
    events: list[Event] = [
        PhaseEvent(t_us=T0_US - 2_000_000, phase="warmup"),
        PhaseEvent(t_us=T0_US, phase="measure"),
        NoteEvent(t_us=T0_US + 11_500_000, severity="warning", code="x", message="A collector failed."),
        ProcessEvent(t_us=T0_US + 30_200_000, role="nginx-worker", index=1, pid=9, cpus_allowed="0-1"),
        ProcessEvent(t_us=T0_US + 30_200_000, role="generator", index=0, pid=10, cpus_allowed="0-1"),
        PhaseEvent(t_us=T0_US - 6_000_000, phase="preparing"),
        Artefact(t_us=0, name="error.log", text=LOG),
        Artefact(t_us=0, name="nginx.conf", text=LOG),
    ]
    found = events_near("web", events, 11, 2)
    assert [(one.kind, one.t_s) for one in found] == [("log", 10), ("note", 11.5)]
    assert found[0].until_s == 11
    assert found[0].text == "[warn] 8#8: *4 a client request body is buffered to a temporary file /t/1"
    later = events_near("web", events, 30, 1)
    assert [(one.kind, one.text) for one in later] == [
        ("log", "[alert] 7#7: worker process 8 exited on signal 9"),
        ("process", "worker 2 of nginx began"),
    ]
    assert [one.text for one in events_near("web", events, -1, 1)] == [
        "the load began",
        "the measured window began",
    ]
    assert events_near("web", events[:1], 0, 60) == [], "no window, no times"


def of_an_hour(*artefacts: Artefact, measure_s: float = 3000) -> list[Event]:
    end_us = T0_US + round(measure_s * 1e6)
    begun: list[Event] = [
        PhaseEvent(t_us=T0_US - 5_000_000, phase="preparing"),
        PhaseEvent(t_us=T0_US, phase="measure"),
    ]
    return [*begun, *artefacts, TrialEnd(t_us=end_us, outcome="completed", code="ok", reason="")]


def kept(*lines: str, truncated: bool = False) -> Artefact:
    return Artefact(t_us=0, name="error.log", text="\n".join(lines), truncated=truncated)


def test_a_first_line_late_in_the_window_stands_at_its_time() -> None:
    """Ten minutes after the window began, in Shanghai."""
    events = of_an_hour(kept("2023/11/15 06:23:20 [error] 8#8: *1 upstream timed out"))
    assert [one.t_s for one in events_near("web", events, 600, 2)] == [600]
    assert events_near("web", events, -300, 2) == []
    assert unknown_near("web", events, 600, 2) == []


def test_where_several_zones_fit_the_time_of_lines_is_not_known() -> None:
    events = of_an_hour(kept("2023/11/15 06:23:20 [error] 8#8: *1 upstream timed out"), measure_s=4500)
    assert events_near("web", events, 600, 2) == []
    (said,) = unknown_near("web", events, 600, 2)
    assert "want of its zone" in said


def test_what_is_not_known_of_the_log_is_said() -> None:
    line = "2023/11/15 06:13:50 [warn] 8#8: x"
    running = of_an_hour()[:-1]
    assert unknown_near("web", running, 30, 2) == ["nginx's error log on web comes as the trial ends"]
    assert unknown_near("web", of_an_hour(), 30, 2) == [], "nginx logged nothing"
    cut = of_an_hour(kept(line, truncated=True))
    assert unknown_near("web", cut, 20, 2) == []
    assert "was cut" in unknown_near("web", cut, 60, 2)[0]
    many = of_an_hour(kept(*[line] * (MOST_LINES + 1)))
    assert len(events_near("web", many, 30, 2)) == MOST_LINES
    assert "40 of 41 lines" in unknown_near("web", many, 30, 2)[0]


def test_the_line_that_jumped_is_found_at_its_time_and_no_other() -> None:
    lines = [
        line("latency_ms", "p99", spiked(30, 60)),
        line("cpu_share", "user", wave),
        line("load_average", "1 min", lambda t: t / 10),
        line("tcp_problems_per_s", "overflows", lambda t: 5.0 if t == 31 else 0.0),
        line("requests_per_s", "wrk", lambda t: None if t > 20 else 100.0),
    ]
    found = jumps_near(lines, 30.4, 2)
    assert [(one.key, one.t_s) for one in found] == [("tcp_problems_per_s", 31), ("latency_ms", 30)]
    assert (found[0].value, found[0].usual) == (5, 0)
    assert found[1].value == pytest.approx(wave(30) + 60)
    assert found[1].usual == pytest.approx(40, abs=2)
    assert jumps_near(lines, 45, 2) == []


def test_a_hundredth_of_a_percent_does_not_stand_out_where_there_is_none_usually() -> None:
    pressure = line("pressure_share", "memory stalled", lambda t: 0.01 if t == 30 else 0.0)
    assert jumps_near([pressure], 30, 2) == []


def test_a_dip_stands_out_and_what_happens_as_strongly_at_other_times_does_not() -> None:
    dip, twice = line("requests_per_s", "wrk", spiked(30, -35)), line("x", "y", lambda t: 90.0 if t % 9 == 3 else 40.0)
    assert [one.label for one in jumps_near([dip, twice], 30, 2)] == ["wrk"]


def test_the_neighbours_cpu_is_what_nothing_of_the_trial_used() -> None:
    """Of two CPUs; a neighbour takes half of them at 30 s. A generator elsewhere has its own."""
    lines = [
        line("cpu_share", "user", spiked(30, 50, lambda _: 40.0)),
        line("cpu_share", "idle", spiked(30, -50, lambda _: 60.0)),
        line("cpu_busy_share", "CPU 0", spiked(30, 50, lambda _: 40.0)),
        line("cpu_busy_share", "CPU 1", spiked(30, 50, lambda _: 40.0)),
        line("worker_cpu_share", "worker 1", lambda _: 50.0),
        line("agent_cpu_share", "agent", lambda _: 10.0),
        line("generator_cpu_share", "gen-a: wrk", lambda _: 100.0),
    ]
    [own] = [one for one in jumps_near(lines, 30, 2) if one.label == NEIGHBOURS]
    assert (own.key, own.t_s, own.value, own.usual) == ("cpu_share", 30, 60, 10)
    of_nginx = [*lines[:4], line("worker_cpu_share", "worker 1", spiked(30, 100, lambda _: 80.0))]
    assert NEIGHBOURS not in [one.label for one in jumps_near(of_nginx, 30, 2)]


def test_twins_of_scatter_seldom_stand_out() -> None:
    """Of 2,000 lines of normal scatter, of which nothing happened to any, at most 1 in 200 stands out at a moment."""
    random = np.random.default_rng(5)
    lines = [line("x", str(n), lambda _: 40 + 4 * random.standard_normal()) for n in range(2_000)]
    assert sum(bool(jumps_near([one], 30, 2)) for one in lines) <= 10
