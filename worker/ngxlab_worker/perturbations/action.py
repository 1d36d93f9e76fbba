"""An action, the cue that ends it, and its result."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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
        """Serves an action that waits by other means: another thread calls ``interrupt`` when the cue is stopped."""
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


@dataclass(frozen=True)
class Done:
    """The result of an action. ``status``: the HTTP status, where there was an answer."""

    ok: bool
    detail: str = ""
    status: int | None = None


class ActionError(Exception):
    """An action failed; the message is the reason. The trial goes on."""


Action = Callable[[Cue], Done]
"""Does something, and returns when it is done: what lasts ends at ``cue.ends_us``, and anything soon after the cue was
stopped. Perhaps called many times: always in the same thread and never twice at once.

A temporary change is undone before it returns or raises. Raises ``ActionError``, ``NginxError`` or ``OSError``.
"""
