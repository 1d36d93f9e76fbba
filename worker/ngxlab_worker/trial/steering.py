"""How a running trial is steered from outside: its start instant, its cancellation, its deadline.

The trial's thread waits only through a :class:`Steering`; the uploader's thread feeds it what the backend says. So a
trial never waits for the network, and ends at once when it is told to.
"""

import threading
from typing import Literal

from ngxlab_contracts.trials import TrialControl

from ngxlab_worker.clock import monotonic_us


class TrialStopError(Exception):
    """The trial has to end now. ``code`` is stable, the message is the plain reason."""

    def __init__(self, outcome: Literal["failed", "cancelled"], code: str, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.code = code


class Steering:
    """``deadline_us`` (CLOCK_MONOTONIC) is the trial's hard end."""

    def __init__(self, deadline_us: int) -> None:
        self._deadline_us = deadline_us
        self._changed = threading.Condition()
        self._stop: TrialStopError | None = None
        self._start_at_us: int | None = None
        self._expecting_start = False

    @property
    def awaiting_start(self) -> bool:
        """The trial is ready: the start instant is wanted as soon as it is known."""
        return self._expecting_start and self._start_at_us is None

    def expect_start(self) -> None:
        """Call it after the trial's readiness was spooled."""
        self._expecting_start = True

    def update(self, control: TrialControl) -> None:
        """The backend's latest word."""
        with self._changed:
            if control.start_at_us is not None:
                self._start_at_us = control.start_at_us
                self._changed.notify_all()
        if control.command == "cancel":
            self.stop(TrialStopError("cancelled", "cancelled", "cancelled on request"))
        elif control.command == "discard":
            self.stop(TrialStopError("cancelled", "discarded", "the backend no longer wants this trial"))

    def stop(self, reason: TrialStopError) -> None:
        """End the trial; the first reason counts."""
        with self._changed:
            self._stop = self._stop or reason
            self._changed.notify_all()

    def pause(self, seconds: float) -> None:
        """Sleep, but raise ``TrialStopError`` as soon as the trial has to end."""
        self.pause_until(monotonic_us() + round(seconds * 1e6))

    def pause_until(self, instant_us: int) -> None:
        """Sleep until an instant of CLOCK_MONOTONIC, but raise ``TrialStopError`` as soon as the trial has to end."""
        with self._changed:
            while True:
                self._check()
                left_us = instant_us - monotonic_us()
                if left_us <= 0:
                    return
                self._changed.wait(left_us / 1e6)

    def await_start(self, timeout_s: float) -> int:
        """The agreed instant on the backend's clock. Raises ``TrialStopError`` when it does not come in time."""
        give_up_us = monotonic_us() + round(timeout_s * 1e6)
        with self._changed:
            while self._start_at_us is None:
                self._check()
                left_us = give_up_us - monotonic_us()
                if left_us <= 0:
                    raise TrialStopError("failed", "start-timeout", f"no start instant within {timeout_s:g} s")
                self._changed.wait(left_us / 1e6)
            return self._start_at_us

    def _check(self) -> None:
        if self._stop is not None:
            raise self._stop
        if monotonic_us() > self._deadline_us:
            raise TrialStopError("failed", "deadline-exceeded", "the trial took longer than its phases allow")
