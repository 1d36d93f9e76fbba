"""Which windows hold after all changes so far."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from ngxlab.analysis.records.stream_spans import Span
from ngxlab.runs.windows.models import WindowChange


@dataclass
class Windows:
    """``run``: of all trials without a window of their own; ``None`` is the planned one."""

    run: Span | None = None
    trials: dict[UUID, Span] = field(default_factory=dict)

    def of(self, trial_id: UUID) -> Span | None:
        return self.trials.get(trial_id, self.run)


def current(changes: Iterable[WindowChange]) -> Windows:
    """``changes`` in their order. The return of a run to its plan ends the windows of single trials too; that of a
    trial lets it follow the run again."""
    windows = Windows()
    for change in changes:
        span = span_of(change)
        if change.trial_id is None:
            windows = Windows(span, windows.trials if span is not None else {})
        elif span is not None:
            windows.trials[change.trial_id] = span
        else:
            windows.trials.pop(change.trial_id, None)
    return windows


def span_of(change: WindowChange) -> Span | None:
    return Span(change.start_s, change.end_s) if change.start_s is not None and change.end_s is not None else None
