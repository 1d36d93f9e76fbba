"""What a batch must be beyond its form, so that no stored data can break a report or the live feed."""

from collections.abc import Iterator

from ngxlab_contracts.telemetry import Batch, ProcessEvent, StreamResult
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.series.derivations.latency import NGINX_STREAM
from ngxlab.analysis.statistics import histograms
from ngxlab.core.apart.beside import beside
from ngxlab.core.errors import Conflict, Invalid
from ngxlab.metrics import repository as metrics
from ngxlab.runs.models import TrialHost

_UNPACKED = 8
"""Times as large, roughly: a histogram comes compressed."""


async def require_sound(session: AsyncSession, trial_host: TrialHost, batch: Batch) -> dict[int, int]:
    """Raises Invalid for data that could not be read back, and Conflict for data after the host's end. The widths of
    the layouts that the batch uses or declares."""
    if trial_host.outcome is not None:
        raise Conflict("This host has ended its share of the trial.", code="host-done")
    _require_known_streams(trial_host, batch)
    await require_histograms(batch)
    return await _require_layouts(session, trial_host, batch)


async def require_histograms(batch: Batch) -> None:
    """Raises Invalid for intervals that could not be read back."""
    packed_bytes = sum(len(interval.histogram or "") for interval in batch.intervals)
    await beside(_UNPACKED * packed_bytes, _require_histograms, batch)  # thousands of them take a second


def known_streams(trial_host: TrialHost) -> frozenset[str]:
    """Those that a host may name in its batches."""
    return frozenset((NGINX_STREAM, *(stream["key"] for stream in trial_host.spec["streams"])))


def _require_known_streams(trial_host: TrialHost, batch: Batch) -> None:
    if unknown := sorted(set(_streams(batch)) - known_streams(trial_host)):
        raise Invalid(f"This host has no stream {unknown[0]!r} in this trial.", code="unknown-stream")


def _streams(batch: Batch) -> Iterator[str]:
    yield from (interval.stream for interval in batch.intervals)
    for event in batch.events:
        if isinstance(event, StreamResult | ProcessEvent) and event.stream is not None:
            yield event.stream


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


async def _require_layouts(session: AsyncSession, trial_host: TrialHost, batch: Batch) -> dict[int, int]:
    """Each layout is declared once, before its first frame, and each frame has a value for each of its columns."""
    wanted = {frame.layout for frame in batch.frames} | {layout.id for layout in batch.layouts}
    if not wanted:
        return {}
    widths = await metrics.layout_widths(session, trial_host.trial_id, trial_host.host_id, wanted)
    for layout in batch.layouts:
        if layout.id in widths:
            raise Invalid(f"Layout {layout.id} is declared twice.", code="bad-layout")
        widths[layout.id] = len(layout.series)
    for frame in batch.frames:
        if len(frame.values) != widths.get(frame.layout):
            expected = widths.get(frame.layout, "no declared")
            detail = f"A frame has {len(frame.values)} values; layout {frame.layout} has {expected} columns."
            raise Invalid(detail, code="bad-frame")
    return widths
