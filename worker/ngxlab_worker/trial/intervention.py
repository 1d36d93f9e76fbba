"""The perturbations of a trial: they begin with its measured window, are reported, and end before its streams."""

from dataclasses import dataclass, field

from ngxlab_contracts.telemetry import ActionEvent

from ngxlab_worker.perturbations import Perturbations
from ngxlab_worker.trial.accounting import RequestAccounting
from ngxlab_worker.trial.recorder import Recorder
from ngxlab_worker.trial.worker_watch import WorkerWatch


@dataclass(frozen=True)
class Intervention:
    """``watch``: needed where an action may stop or replace nginx's workers. ``calls``: perturbations whose answered
    actions are requests to the nginx under test, which ``accounting`` must not count."""

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
        """Record the actions since the last call, and follow nginx's workers. Call it before each sample."""
        for event in self.perturbations.news():
            self.recorder.event(event)
            self._complain(event)
            if self.accounting is not None and event.perturbation in self.calls and event.status is not None:
                self.accounting.own_calls += 1
        if self.watch is not None:
            self.watch.look()

    def end(self) -> None:
        """End all actions and undo those that last only for a while."""
        self.perturbations.end()
        self.read()

    def _complain(self, event: ActionEvent) -> None:
        """Note the first failure of each perturbation. Every action has an event of its own besides."""
        if not event.ok and event.perturbation not in self._complained:
            self._complained.add(event.perturbation)
            self.recorder.note(
                "warning", "perturbation-failed", f"{event.perturbation} ({event.action}): {event.detail}"
            )
