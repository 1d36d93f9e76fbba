"""When the plan lets which stream run. Seconds since the start of warm-up, the same on every host."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.trials import TimingSpec


class Span(NamedTuple):
    """``[start_s, end_s)``."""

    start_s: float
    end_s: float

    @property
    def seconds(self) -> float:
        return self.end_s - self.start_s


class BusySpan(NamedTuple):
    """The longest stretch of the window in which the most connections are held at once."""

    span: Span
    connections: int


def active_span(stream: StreamSpec, timing: TimingSpec) -> Span | None:
    """The stream's life within the measured window; ``None`` where it runs before or after it only."""
    window_end_s = timing.warmup_s + timing.measure_s
    ends_s = window_end_s if stream.duration_s is None else stream.start_offset_s + stream.duration_s
    span = Span(max(stream.start_offset_s, timing.warmup_s), min(ends_s, window_end_s))
    return span if span.seconds > 0 else None


def lasts_the_window(stream: StreamSpec, timing: TimingSpec) -> bool:
    span = active_span(stream, timing)
    return span is not None and span.seconds >= timing.measure_s


def busiest(streams: Sequence[StreamSpec], timing: TimingSpec) -> BusySpan | None:
    """``None`` where no stream is active within the window."""
    active = [(span, stream.connections) for stream in streams if (span := active_span(stream, timing)) is not None]
    edges = sorted({edge for span, _ in active for edge in span})
    stretches = [Span(start_s, end_s) for start_s, end_s in pairwise(edges)]
    held = [sum(count for span, count in active if span.start_s <= one.start_s < span.end_s) for one in stretches]
    found = [BusySpan(span, connections) for span, connections in zip(stretches, held, strict=True)]
    return max(found, key=lambda one: (one.connections, one.span.seconds), default=None)
