"""What was derived of one host's part of a trial, for viewers who come later: bounded, however long the trial is."""

import json
from collections.abc import Iterable
from itertools import chain
from typing import Any

from ngxlab.analysis.series.downsampling import downsample
from ngxlab.live.events import LiveEvent

POINTS_A_LINE = 300
"""The length of a line's older part: a live chart has some hundred pixels, and later it shows what is stored."""
ROOM = 20_000
"""Points that are kept as they came, at least."""


class TrialLog:
    """Events in order. Once there are too many points, the older three quarters become one event with downsampled
    lines, so that who comes to a trial of hours is told no more of it than a chart can show."""

    def __init__(self) -> None:
        self._events: list[LiveEvent] = []
        self._points = 0
        self._most = ROOM

    def add(self, events: Iterable[LiveEvent], points: int) -> None:
        """``points``: how many there are in the events."""
        self._events += events
        self._points += points
        if self._points > self._most:
            self._thin()

    def after(self, seq: int) -> list[LiveEvent]:
        """Events of later positions."""
        return [event for event in self._events if event.seq > seq]

    def _thin(self) -> None:
        cut = len(self._events) * 3 // 4
        older, recent = self._events[:cut], self._events[cut:]
        dense = [event for event in older if event.event == "points"]
        if not dense:
            return
        merged, kept = _merged(dense)
        before = [event for event in older if event.event != "points" and event.seq < merged.seq]
        after = [event for event in older if event.event != "points" and event.seq >= merged.seq]
        self._events = [*before, merged, *after, *recent]
        self._points = kept + sum(_count(event) for event in recent if event.event == "points")
        self._most = max(ROOM, 2 * self._points)  # so that thinning costs each point a bounded share


def _merged(events: list[LiveEvent]) -> tuple[LiveEvent, int]:
    """One event, of the last position, with the downsampled lines of all; and how many points it has."""
    contents = [json.loads(event.data) for event in events]
    lines: dict[tuple[str, str, str], list[tuple[float, float | None]]] = {}
    for point in chain.from_iterable(content["points"] for content in contents):
        line = lines.setdefault((point["key"], point["label"], point["unit"]), [])
        line.append((point["t_s"], point["value"]))
    points: list[dict[str, Any]] = [
        {"key": key, "label": label, "unit": unit, "t_s": t_s, "value": value}
        for (key, label, unit), line in lines.items()
        for t_s, value in downsample(line, POINTS_A_LINE)
    ]
    content = {**contents[0], "points": points}
    return LiveEvent(events[-1].seq, "points", json.dumps(content, separators=(",", ":"))), len(points)


def _count(event: LiveEvent) -> int:
    return event.data.count('"t_s":')
