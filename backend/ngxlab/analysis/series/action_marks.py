"""Chart marks: the actions of perturbations, for the live stream and for stored trials alike."""

from collections.abc import Iterable, Sequence

from ngxlab_contracts.telemetry import ActionEvent, Event, PhaseEvent
from pydantic import Field

from ngxlab.analysis.series.schemas import DerivedModel


class ActionMark(DerivedModel):
    """One action of a perturbation. A later mark of the same host, perturbation and number replaces it."""

    perturbation: str
    action: str = Field(description="kind of the action, e.g. reload or cpu-pressure")
    number: int = Field(description="counts the perturbation's actions from 1")
    t_s: float = Field(description="when it started, in seconds since the start of the measured window")
    ended_s: float | None = Field(description="when it ended; None while in progress, or if its end was not recorded")
    ok: bool
    skipped: bool = Field(description="it was due, but not carried out, because the action before had not ended")
    status: int | None = Field(description="status of the HTTP response, if there was one")
    detail: str
    host: str = Field(description="name of the host on which it acted")


class ActionMarker:
    """Makes the marks of one host in one trial, in the order in which the host reports the actions."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._origin_us: int | None = None

    def feed(self, events: Iterable[Event]) -> list[ActionMark]:
        """The marks of these events. An action before the measured window has no mark."""
        marks = []
        for event in events:
            if isinstance(event, PhaseEvent) and event.phase == "measure":
                self._origin_us = event.t_us
            elif isinstance(event, ActionEvent) and self._origin_us is not None:
                marks.append(self._mark(event, self._origin_us))
        return marks

    def _mark(self, event: ActionEvent, origin_us: int) -> ActionMark:
        return ActionMark(
            **event.model_dump(exclude={"kind", "t_us", "ended_us"}),
            t_s=(event.t_us - origin_us) / 1e6,
            ended_s=(event.ended_us - origin_us) / 1e6 if event.ended_us is not None else None,
            host=self._host,
        )


def all_marks(host: str, events: Iterable[Event], most: int) -> list[ActionMark]:
    """The marks of a stored trial by time, each action once.

    A perturbation with many actions is thinned evenly to ``most`` successful and ``most`` unsuccessful ones.
    """
    latest = {(mark.perturbation, mark.number): mark for mark in ActionMarker(host).feed(events)}
    by_key: dict[tuple[str, bool], list[ActionMark]] = {}
    for mark in latest.values():
        by_key.setdefault((mark.perturbation, mark.ok), []).append(mark)
    kept = [mark for marks in by_key.values() for mark in _thinned(marks, most)]
    return sorted(kept, key=lambda mark: mark.t_s)


def _thinned(marks: Sequence[ActionMark], most: int) -> Sequence[ActionMark]:
    return marks if len(marks) <= most else [marks[i * len(marks) // most] for i in range(most)]
