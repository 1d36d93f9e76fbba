"""Perturbations as a part of the trial: begun with its window, reported, ended before its streams."""

from dataclasses import dataclass, field

from ngxlab_contracts.telemetry import ActionEvent

from ngxlab_worker.perturbations import Perturbations
from ngxlab_worker.trial.accounting import RequestAccounting
from ngxlab_worker.trial.recorder import Recorder
from ngxlab_worker.trial.worker_watch import WorkerWatch


@dataclass(frozen=True)
class Intervention:
    """``watch``: where an action may stop or replace nginx's workers. ``calls``: perturbations whose answered actions
    are requests to the nginx under test, to be taken off what ``accounting`` counts."""

    perturbations: Perturbations
    recorder: Recorder
    watch: WorkerWatch | None = None
    calls: frozenset[str] = frozenset()
    accounting: RequestAccounting | None = None
    _complained: set[str] = field(default_factory=set)

    def begin(self, window_us: int, window_s: float) -> None:
        """The measured window begins at ``window_us`` (host's clock)."""
        self.perturbations.begin(window_us, window_s)

    def read(self) -> None:
        """Record what has been done, and look at the workers that are there now. Before each sample."""
        for event in self.perturbations.news():
            self.recorder.event(event)
            self._complain(event)
            if self.accounting is not None and event.perturbation in self.calls and event.status is not None:
                self.accounting.own_calls += 1
        if self.watch is not None:
            self.watch.look()

    def end(self) -> None:
        """Nothing is done any more, and nothing is left of what was done for a while only."""
        self.perturbations.end()
        self.read()

    def _complain(self, event: ActionEvent) -> None:
        """Once for each perturbation: every action says for itself how it went."""
        if not event.ok and event.perturbation not in self._complained:
            self._complained.add(event.perturbation)
            self.recorder.note(
                "warning", "perturbation-failed", f"{event.perturbation} ({event.action}): {event.detail}"
            )
