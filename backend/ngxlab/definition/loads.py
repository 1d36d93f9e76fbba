"""What load an arm had: runs under different loads do not measure the same thing."""

from typing import NamedTuple

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.streams import StreamSpec

_LOOPS = {"closed": "closed loop", "open": "open loop", "hold": "idle connections"}


class StreamShape(NamedTuple):
    """What of a stream decides what its rate and its latency mean."""

    engine: str
    connections: int
    threads: int
    rate: str
    keep_alive: bool
    tls: bool

    @property
    def said(self) -> str:
        rate = f" at {self.rate}" if self.rate else ""
        ends = ("" if self.keep_alive else ", a connection for each request") + (", TLS" if self.tls else "")
        threads = f" in {self.threads} threads" if self.threads > 1 else ""
        return f"{self.engine} with {self.connections} connections{threads}{rate}{ends}"


Shape = tuple[StreamShape, ...]


def shape_of(streams: list[StreamSpec]) -> Shape:
    """Of all streams but probes, in a fixed order."""
    return tuple(sorted(_stream(stream) for stream in streams if not stream.probe))


def _stream(stream: StreamSpec) -> StreamShape:
    description = ENGINES[stream.engine]
    rates = [f"{first:g}" + (f" to {last:g}" if last != first else "") for first, last in stream.planned_steps]
    planned = f"{stream.planned_rate_per_s:g}" if description.rate_is_planned else ""
    rate = ", then ".join(rates) or planned
    return StreamShape(
        engine=f"{stream.engine} ({_LOOPS[description.loop]})",
        connections=stream.connections,
        threads=stream.threads,
        rate=f"{rate}/s" if rate else "",
        keep_alive=stream.keep_alive,
        tls=stream.tls,
    )


def why_not_comparable(own: Shape, base: Shape) -> str | None:
    """The first difference between two loads, in words."""
    if own == base:
        return None
    if [one.engine for one in own] != [one.engine for one in base]:
        return f"other load engines: {_names(own)} instead of {_names(base)}"
    mine, theirs = next(pair for pair in zip(own, base, strict=True) if pair[0] != pair[1])
    return f"another load: {mine.said} instead of {theirs.said}"


def _names(shape: Shape) -> str:
    return " and ".join(one.engine for one in shape) or "none"
