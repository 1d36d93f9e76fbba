"""A trial's search for the capacity as it goes on, for the live stream."""

from collections.abc import Iterable, Iterator
from typing import Any

from ngxlab_contracts.telemetry import CapacityFound, CapacityStep, Event, PhaseEvent
from ngxlab_contracts.trials import TrialSpec
from pydantic import BaseModel

from ngxlab.analysis.schemas import CapacitySearch, CapacityTried
from ngxlab.analysis.summary.capacity import search_of, tried


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
