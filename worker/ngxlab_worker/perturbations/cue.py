"""Tells an action when to end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ngxlab_worker.core.clock import monotonic_us


class Cue:
    """``ends_us``: when an action that lasts has to end (CLOCK_MONOTONIC)."""

    def __init__(self, stopped: threading.Event, ends_us: int) -> None:
        self.ends_us = ends_us
        self._stopped = stopped
        self._lock = threading.Lock()
        self._interrupt: Callable[[], None] | None = None

    @property
    def stopped(self) -> bool:
        """The load or the whole trial is over, so that the action has to end."""
        return self._stopped.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep. Returns ``False`` as soon as the cue is stopped."""
        return not self._stopped.wait(max(0.0, seconds))

    def wait_until(self, instant_us: int) -> bool:
        """Sleep until an instant of CLOCK_MONOTONIC. Returns ``False`` as soon as the cue is stopped."""
        return self.wait((instant_us - monotonic_us()) / 1e6)

    @contextmanager
    def interrupted_by(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """For an action that waits by other means: another thread calls ``interrupt`` when the cue is stopped."""
        with self._lock:
            self._interrupt = interrupt
        if self.stopped:
            interrupt()
        try:
            yield
        finally:
            with self._lock:
                self._interrupt = None

    def interrupt(self) -> None:
        """Wake an action that waits by other means. Call it after ``stopped`` was set."""
        with self._lock:
            if self._interrupt is not None:
                self._interrupt()
