"""Where charts are marked: what perturbations did, for the live stream and for history alike."""

from collections.abc import Iterable, Sequence

from ngxlab_contracts.telemetry import ActionEvent, Event, PhaseEvent
from pydantic import Field

from ngxlab.analysis.series.schemas import DerivedModel


class ActionMark(DerivedModel):
    """One action of a perturbation. A later mark of the same host, perturbation and number takes its place."""

    perturbation: str
    action: str = Field(description="its kind, e.g. reload or cpu-pressure")
    number: int = Field(description="of the perturbation's actions, from 1")
    t_s: float = Field(description="when it began, in seconds since the measured window did")
    ended_s: float | None = Field(description="when it ended; None while it goes on, or where nobody knows")
    ok: bool
    skipped: bool = Field(description="it was due and not done, because the one before had not ended")
    status: int | None = Field(description="of the HTTP answer, where there was one")
    detail: str
    host: str = Field(description="name of the host that did it")


class ActionMarker:
    """Gives the marks of one host in one trial, in the order it reported them."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._origin_us: int | None = None

    def feed(self, events: Iterable[Event]) -> list[ActionMark]:
        """The marks of these events. An action before the measured window has no place on a chart."""
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
    """The marks of a stored trial in order of time, each action once. Of a perturbation with more than ``most``
    actions, so many of them, evenly taken, and of those without success as many again."""
    latest = {(mark.perturbation, mark.number): mark for mark in ActionMarker(host).feed(events)}
    by_key: dict[tuple[str, bool], list[ActionMark]] = {}
    for mark in latest.values():
        by_key.setdefault((mark.perturbation, mark.ok), []).append(mark)
    kept = [mark for marks in by_key.values() for mark in _thinned(marks, most)]
    return sorted(kept, key=lambda mark: mark.t_s)


def _thinned(marks: Sequence[ActionMark], most: int) -> Sequence[ActionMark]:
    return marks if len(marks) <= most else [marks[i * len(marks) // most] for i in range(most)]
