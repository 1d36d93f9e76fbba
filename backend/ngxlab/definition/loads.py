"""What load an arm had: runs under different loads do not measure the same thing."""

from typing import NamedTuple

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.sentences import Sentence, fixed, listed, say
from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.summary.capacity import goal_text

LOOPS = {"closed": "closed loop", "open": "open loop", "hold": "idle connections"}


class StreamShape(NamedTuple):
    """What of a stream decides what its rate and its latency mean. ``rate``: as planned, or the goal of a search."""

    engine: str
    connections: int
    threads: int
    rate: str
    keep_alive: bool
    tls: bool

    @property
    def said(self) -> Sentence:
        load = say("{engine} with {connections} connections", engine=_said(self.engine), connections=self.connections)
        if self.threads > 1:
            load = say("{load} in {threads} threads", load=load, threads=self.threads)
        if self.rate:
            load = say("{load} at {rate}", load=load, rate=self.rate)
        if not self.keep_alive:
            load = say("{load}, a connection for each request", load=load)
        return say("{load}, TLS", load=load) if self.tls else load


Shape = tuple[StreamShape, ...]


def shape_of(streams: list[StreamSpec]) -> Shape:
    """The shapes of all streams but probes, in a fixed order."""
    return tuple(sorted(_stream(stream) for stream in streams if not stream.probe))


def _stream(stream: StreamSpec) -> StreamShape:
    description = ENGINES[stream.engine]
    rates = [f"{first:g}" + (f" to {last:g}" if last != first else "") for first, last in stream.planned_steps]
    planned = f"{stream.planned_rate_per_s:g}" if description.rate_is_planned else ""
    searched, curve = stream.searches_for, stream.draws_curve
    rate = ", then ".join(rates) or planned
    if curve is not None:
        lowest, highest, count = min(curve.points), max(curve.points), len(curve.points)
        rate = f"{lowest:g} to {highest:g}/s in {count} rates"
        if curve.connections:
            rate = f"as answered, {lowest:g} to {highest:g} connections in {count} numbers"
    if (log := stream.replays) is not None:
        rate = f"{log.mean_per_s:.4g}/s as in a log of {log.requests} requests"
    loop = "closed" if curve is not None and curve.connections else description.loop
    return StreamShape(
        engine=f"{stream.engine} ({LOOPS[loop]})",
        connections=stream.connections,
        threads=stream.threads,
        rate=goal_text(searched.goal) if searched is not None else _per_s(rate),
        keep_alive=stream.keep_alive,
        tls=stream.tls,
    )


def _per_s(rate: str) -> str:
    return rate if not rate or "/s" in rate or "connections" in rate else f"{rate}/s"


def why_not_comparable(own: Shape, base: Shape) -> Sentence | None:
    """The first difference between two loads, in words."""
    if own == base:
        return None
    if [one.engine for one in own] != [one.engine for one in base]:
        return say("other load engines: {own} instead of {base}", own=_names(own), base=_names(base))
    mine, theirs = next(pair for pair in zip(own, base, strict=True) if pair[0] != pair[1])
    return say("another load: {own} instead of {base}", own=mine.said, base=theirs.said)


def _names(shape: Shape) -> Sentence:
    return listed([_said(one.engine) for one in shape] or [say("none")], " and ")


def _said(engine: str) -> Sentence:
    """``wrk (closed loop)``, as a stream's shape names its engine."""
    name, _, loop = engine.removesuffix(")").partition(" (")
    return say("{engine} ({loop})", engine=name, loop=fixed(loop))
