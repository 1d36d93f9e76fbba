"""What of a host's stored data cannot be read: it is left out and named, and the rest is shown.

New data is checked at the door (``worker_api.batch_checks``); what was stored before, or was spoilt since, is not.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from ngxlab_contracts.telemetry import Event, LatencyInterval, Layout, NoteEvent
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from ngxlab.analysis.records.readings import FrameTable, StoredFrame, in_order
from ngxlab.analysis.statistics import histograms
from ngxlab.metrics.blocks.histograms import StoredInterval
from ngxlab.metrics.blocks.histograms import decode as decode_intervals
from ngxlab.metrics.blocks.readings import Chosen, Readings, decode
from ngxlab.metrics.packed_frames import PackedFrames, unpack

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)
LATEST_US = 2**53
_LARGEST = 1e24


class Damage:
    """Collects what cannot be read, by kind and reason. Each function returns ``None`` for what it leaves out."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def notes(self) -> list[NoteEvent]:
        """As the report and the run's page show them."""
        return [
            NoteEvent(t_us=0, severity="error", code="unreadable", message=f"{count} {kind} unreadable: {reason}")
            for (kind, reason), count in self._counts.items()
        ]

    def stored_layout(self, layout_id: int, collector: str, series: str) -> Layout | None:
        """``series`` as JSON: all trials of a run have the same few, which are read once."""
        try:
            return _layout(layout_id, collector, series)
        except ValidationError as error:
            self._tell("layouts", _first(error))
            return None

    def frame(self, frame: StoredFrame, layouts: Mapping[int, Layout]) -> StoredFrame | None:
        """A frame whose single values cannot be read keeps the others."""
        layout = layouts.get(frame.layout)
        if layout is None:
            self._tell("frames", f"layout {frame.layout} is not declared")
        elif len(frame.values) != len(layout.series):
            self._tell("frames", f"layout {frame.layout} has {len(layout.series)} columns")
        elif abs(frame.t_us) > LATEST_US:
            self._tell("frames", "the time is beyond all clocks")
        elif _all_finite(frame.values):
            return frame
        else:
            self._tell("frames", "a value is not a finite number")
            values = [value if _all_finite([value]) else None for value in frame.values]
            return frame._replace(values=values)
        return None

    def readings(self, blocks: Iterable[bytes], of: Chosen | None = None) -> list[Readings]:
        """Readings of each block that can be unpacked; only the columns ``of``, if given."""
        found = []
        for content in blocks:
            try:
                found.append(decode(content, of))
            except ValueError as error:
                self._tell("blocks of frames", str(error))
        return found

    def table(self, packed: PackedFrames, layouts: Mapping[int, Layout]) -> FrameTable | None:
        """As :meth:`frame`, for all frames of a layout at once."""
        layout, blocks = layouts.get(packed.layout), self.readings(packed.blocks)
        if layout is None:
            count = packed.t_us.size + sum(block.t_us.size for block in blocks)
            self._tell("frames", f"layout {packed.layout} is not declared", count)
            return None
        width = len(layout.series)
        values, is_null, kept = unpack(packed.values, packed.t_us.size, width)
        wrong = int((~kept).sum()) + sum(block.t_us.size for block in blocks if block.values.shape[1] != width)
        self._tell("frames", f"layout {packed.layout} has {width} columns", wrong)
        return self.sound_table(*_joined((packed.t_us[kept], values, is_null), blocks))

    def sound_table(
        self, t_us: NDArray[np.int64], values: NDArray[np.float64], is_null: NDArray[np.bool_]
    ) -> FrameTable:
        """As :meth:`frame`, for readings of one layout with its columns; ``values`` may be changed."""
        if _sound(t_us, LATEST_US) and _sound(values, _LARGEST):
            return in_order(t_us, values)
        in_time = np.abs(t_us) <= LATEST_US
        self._tell("frames", "the time is beyond all clocks", int((~in_time).sum()))
        t_us, values, is_null = t_us[in_time], values[in_time], is_null[in_time]
        bad = ~is_null & ~(np.abs(values) <= _LARGEST)
        if bad.any():
            self._tell("frames", "a value is not a finite number", int(bad.any(axis=1).sum()))
            values[bad] = np.nan
        return in_order(t_us, values)

    def all_intervals(self, rows: Sequence[StoredInterval], blocks: Iterable[bytes]) -> list[StoredInterval]:
        """Intervals of rows and of each block that can be unpacked, in order of time."""
        found: list[StoredInterval] = []
        for content in blocks:
            try:
                found += decode_intervals(content)
            except ValueError as error:
                self._tell("blocks of histograms", str(error))
        if not found:
            return list(rows)
        both = {(one.stream, one.quantity, one.t0_us, one.t1_us): one for one in [*found, *rows]}
        return sorted(both.values(), key=lambda one: one.t0_us)

    def interval(self, stored: StoredInterval) -> LatencyInterval | None:
        own = stored._asdict()
        del own["live_seq"]
        try:
            interval = LatencyInterval.model_validate(own)
        except ValidationError as error:
            self._tell("histograms", _first(error))
            return None
        if interval.t1_us < interval.t0_us:
            self._tell("histograms", "an interval ends before it begins")
            return None
        return interval

    def event(self, stored: Mapping[str, Any]) -> Event | None:
        try:
            return _EVENT.validate_python(stored, extra="ignore")
        except ValidationError as error:
            self._tell("events", _first(error))
            return None

    def sound_histograms(self, intervals: Iterable[LatencyInterval]) -> list[LatencyInterval]:
        """Intervals whose histogram can be unpacked. Costly: only where something could not be computed."""
        return [interval for interval in intervals if self._has_sound_histogram(interval)]

    def _has_sound_histogram(self, interval: LatencyInterval) -> bool:
        try:
            if interval.histogram is not None:
                mixed = interval.quantity == "latency"
                histograms.require_sound(interval.histogram, interval.count, may_hold_more=mixed)
        except ValueError as error:
            self._tell("histograms", str(error))
            return False
        return True

    def _tell(self, kind: str, reason: str, count: int = 1) -> None:
        if count:
            self._counts[kind, reason] += count


Columns = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]


def _joined(rows: Columns, blocks: Sequence[Readings]) -> Columns:
    """Times, values, and where they are null. What was packed while it was read is there twice."""
    width = rows[1].shape[1]
    parts = [(one.t_us, one.values, one.is_null) for one in blocks if one.values.shape[1] == width]
    if not parts:
        return rows
    t_us, values, is_null = (np.concatenate(column) for column in zip(rows, *parts, strict=True))
    if not rows[0].size:
        return t_us, values, is_null
    once = np.unique(t_us, return_index=True)[1]
    return t_us[once], values[once], is_null[once]


@lru_cache(maxsize=256)
def _layout(layout_id: int, collector: str, series: str) -> Layout:
    row = {"id": layout_id, "collector": collector, "series": json.loads(series)}
    return Layout.model_validate(row, extra="ignore")


def _sound(values: NDArray[Any], largest: float) -> bool:
    """Whether each is there and within bounds. NaN is not."""
    return bool(-largest <= values.min(initial=0) and values.max(initial=0) <= largest)


def _all_finite(values: Iterable[float | None]) -> bool:
    return all(value is None or -_LARGEST <= value <= _LARGEST for value in values)


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, problem['loc'])) or 'content'}: {problem['msg']}"[:300]
