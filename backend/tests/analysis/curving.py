"""Trials of a stream that tries several rates, by the events that an agent sends of it."""

from collections.abc import Sequence
from dataclasses import replace

from analysis import builders
from analysis.scenario import Scenario
from ngxlab.analysis.records import HostRecord
from ngxlab_contracts.streams import CurveSpec, OpenLoopSpec, StreamSpec
from ngxlab_contracts.telemetry import CurveStep, Event

WINDOW_US = builders.T0_US + 2_000_000
RATES = (250.0, 500.0, 1000.0, 2000.0)


def stream(rates: Sequence[float] = RATES) -> StreamSpec:
    plan = OpenLoopSpec(steps=[], curve=CurveSpec(rates_per_s=list(rates)))
    return StreamSpec(key="main", engine="open-loop", threads=2, connections=100, open_loop=plan)


def step(
    number: int,
    per_s: float,
    *,
    most_per_s: float = 1e9,
    late: bool = False,
    cut_short: bool = False,
    p99_us: int | None = 4_000,
) -> CurveStep:
    """The ``number``-th second of the window, of a server that serves ``most_per_s`` and refuses the rest."""
    begun_us, served = WINDOW_US + (number - 1) * 1_000_000, min(per_s, most_per_s)
    return CurveStep(
        t_us=begun_us + 1_000_000, stream="main", number=number, begun_us=begun_us, per_s=per_s,
        achieved_per_s=served, due=round(per_s), served=round(served), failed=round(per_s) - round(served),
        p50_us=1_000, p90_us=2_000, p99_us=p99_us, p999_us=None, cut_short=cut_short, generator_late=late,
    )  # fmt: skip


def record(events: Sequence[Event], of: StreamSpec | None = None) -> HostRecord:
    """A healthy trial whose only stream draws a curve."""
    made = Scenario(spec=builders.spec(streams=[of or stream()])).build()
    return replace(made, events=[*made.events, *events])
