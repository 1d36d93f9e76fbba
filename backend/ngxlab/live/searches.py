"""The rates that a trial tries, as it goes on, in a search for the capacity or for a curve: for the live stream."""

from collections.abc import Iterable, Iterator
from typing import Any

from ngxlab_contracts.telemetry import CapacityFound, CapacityStep, CurveStep, Event, PhaseEvent
from ngxlab_contracts.trials import TrialSpec
from pydantic import BaseModel

from ngxlab.analysis.schemas import CapacitySearch, CapacityTried, CurvePoint
from ngxlab.analysis.summary import curve
from ngxlab.analysis.summary.capacity import search_of, tried
from ngxlab.analysis.verdict.curve import point_of


class SearchNews(BaseModel):
    """One rate more that a search has tried, or, at its end, what it found. ``search`` is without its steps."""

    search: CapacitySearch
    step: CapacityTried | None


class SearchFollower:
    """Tells the steps of one host's searches in one trial, in the order in which the host reports them."""

    def __init__(self, spec: TrialSpec) -> None:
        self._wanted = {one.key: one.searches_for for one in spec.streams if one.searches_for is not None}
        self._origin_us = 0

    def feed(self, events: Iterable[Event]) -> Iterator[dict[str, Any]]:
        """The news as JSON data."""
        for event in events:
            if isinstance(event, PhaseEvent) and event.phase == "measure":
                self._origin_us = event.t_us
            elif isinstance(event, CapacityStep | CapacityFound) and event.stream in self._wanted:
                wanted = self._wanted[event.stream]
                found = event if isinstance(event, CapacityFound) else None
                step = tried(event, self._origin_us) if isinstance(event, CapacityStep) else None
                news = SearchNews(search=search_of(event.stream, wanted, found, []), step=step)
                yield news.model_dump(mode="json")


class CurveNews(BaseModel):
    """One rate more of a curve, the ``number``-th of ``planned``."""

    stream: str
    planned: int
    number: int
    point: CurvePoint


class CurveFollower:
    """Tells the rates of one host's curves in one trial, in the order in which the host reports them."""

    def __init__(self, spec: TrialSpec) -> None:
        self._wanted = {one.key: one.draws_curve for one in spec.streams if one.draws_curve is not None}
        self._origin_us = 0

    def feed(self, events: Iterable[Event]) -> Iterator[dict[str, Any]]:
        """The news as JSON data."""
        for event in events:
            if isinstance(event, PhaseEvent) and event.phase == "measure":
                self._origin_us = event.t_us
            elif isinstance(event, CurveStep) and event.stream in self._wanted:
                planned = len(self._wanted[event.stream].points)
                point = point_of([curve.tried(event, self._origin_us)])
                news = CurveNews(stream=event.stream, planned=planned, number=event.number, point=point)
                yield news.model_dump(mode="json")
