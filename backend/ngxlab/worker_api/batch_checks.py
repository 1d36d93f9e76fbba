"""What a batch must be beyond its form, so that no stored data can break a report or the live feed."""

from collections.abc import Collection, Iterator, Mapping

from ngxlab_contracts.telemetry import Batch, ProcessEvent, StreamResult

from ngxlab.analysis.statistics import histograms
from ngxlab.core.errors import Invalid
from ngxlab.core.threads import beside

_UNPACKED = 8
"""Times as large, roughly: a histogram comes compressed."""


async def require_histograms(batch: Batch) -> None:
    """Raises Invalid for intervals that could not be read back."""
    packed_bytes = sum(len(interval.histogram or "") for interval in batch.intervals)
    await beside(_UNPACKED * packed_bytes, _require_histograms, batch)  # thousands of them take a second


def _require_histograms(batch: Batch) -> None:
    for interval in batch.intervals:
        if interval.t1_us < interval.t0_us:
            raise Invalid(f"An interval of stream {interval.stream} ends before it begins.", code="bad-interval")
        try:
            if interval.histogram is not None:
                mixed = interval.quantity == "latency"
                histograms.require_sound(interval.histogram, interval.count, may_hold_more=mixed)
        except ValueError as error:
            detail = f"The histogram of stream {interval.stream} is no HdrHistogram of ours: {error}"
            raise Invalid(detail, code="bad-histogram") from error


def fits(batch: Batch, streams: Collection[str], widths: Mapping[int, int]) -> bool:
    """Whether a batch names only ``streams`` of its host, and each frame has a value for each column of its layout."""
    known = all(stream in streams for stream in _streams(batch))
    return known and all(len(frame.values) == widths.get(frame.layout) for frame in batch.frames)


def require_fit(batch: Batch, streams: Collection[str], widths: Mapping[int, int]) -> None:
    """Raises Invalid unless a batch :func:`fits`."""
    if unknown := sorted(set(_streams(batch)).difference(streams)):
        raise Invalid(f"This host has no stream {unknown[0]!r} in this trial.", code="unknown-stream")
    for frame in batch.frames:
        if len(frame.values) != widths.get(frame.layout):
            expected = widths.get(frame.layout, "no declared")
            detail = f"A frame has {len(frame.values)} values; layout {frame.layout} has {expected} columns."
            raise Invalid(detail, code="bad-frame")


def _streams(batch: Batch) -> Iterator[str]:
    yield from (interval.stream for interval in batch.intervals)
    for event in batch.events:
        if isinstance(event, StreamResult | ProcessEvent) and event.stream is not None:
            yield event.stream
