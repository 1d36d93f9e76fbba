"""When the plan runs each stream, in seconds since the start of the warm-up, the same on every host."""

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
    """The longest part of the window with the most connections open at once."""

    span: Span
    connections: int


def active_span(stream: StreamSpec, timing: TimingSpec) -> Span | None:
    """When the stream runs within the measured window; ``None`` if it runs only before or after the window."""
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
    spans = [Span(start_s, end_s) for start_s, end_s in pairwise(edges)]
    open_ = [sum(count for span, count in active if span.start_s <= one.start_s < span.end_s) for one in spans]
    busy = [BusySpan(span, connections) for span, connections in zip(spans, open_, strict=True)]
    return max(busy, key=lambda one: (one.connections, one.span.seconds), default=None)
