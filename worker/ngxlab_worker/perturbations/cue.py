"""How an action is told when to end."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ngxlab_worker.core.clock import monotonic_us


class Cue:
    """``ends_us``: the end of an interval (CLOCK_MONOTONIC), for actions that last."""

    def __init__(self, stopped: threading.Event, ends_us: int) -> None:
        self.ends_us = ends_us
        self._stopped = stopped
        self._lock = threading.Lock()
        self._interrupt: Callable[[], None] | None = None

    @property
    def stopped(self) -> bool:
        """The trial's load is over, or the trial itself: whatever is being done has to end."""
        return self._stopped.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep; ``False`` as soon as the cue is stopped."""
        return not self._stopped.wait(max(0.0, seconds))

    def wait_until(self, instant_us: int) -> bool:
        """Sleep until an instant of CLOCK_MONOTONIC; ``False`` as soon as the cue is stopped."""
        return self.wait((instant_us - monotonic_us()) / 1e6)

    @contextmanager
    def interrupted_by(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """For what waits by other means: ``interrupt`` is called, by another thread, when the cue is stopped."""
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
        """Wake whoever waits by other means. Set ``stopped`` before."""
        with self._lock:
            if self._interrupt is not None:
                self._interrupt()
