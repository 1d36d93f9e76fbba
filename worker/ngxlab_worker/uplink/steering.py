"""How a running trial is steered from outside: what it waits for, its cancellation, its deadline.

The trial's thread waits only through a :class:`Steering`; the uploader's thread feeds it what the backend says. So a
trial never waits for the network, and ends at once when it is told to.
"""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar

from ngxlab_contracts.trials import Endpoint, TrialControl

from ngxlab_worker.core.clock import monotonic_us

_News = TypeVar("_News")


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
        self._control = TrialControl()
        self._wanted: Callable[[], object | None] | None = None
        self._look_up: Callable[[], None] = lambda: None

    @property
    def awaiting(self) -> bool:
        """The trial waits for news: whoever can get it should ask for it, and for nothing older than it knows.

        False as soon as the news is here, however late the trial's thread wakes up: what it then has to say must not
        find the uploader waiting for more.
        """
        wanted = self._wanted
        return wanted is not None and wanted() is None

    @property
    def revision(self) -> int:
        """Of the backend's latest word."""
        return self._control.revision

    def when_waiting(self, look_up: Callable[[], None]) -> None:
        """Have ``look_up`` called, by the trial's thread, each time :attr:`awaiting` has become true."""
        self._look_up = look_up

    def update(self, control: TrialControl) -> None:
        """The backend's latest word."""
        if control.command == "cancel":
            self.stop(TrialStopError("cancelled", "cancelled", "cancelled on request"))
        elif control.command == "discard":
            self.stop(TrialStopError("cancelled", "discarded", "the backend no longer wants this trial"))
        else:
            with self._changed:
                self._control = control
                self._changed.notify_all()

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
        self._wait(lambda: None, instant_us)

    def await_start(self, timeout_s: float) -> int:
        """The agreed instant on the backend's clock. Raises ``TrialStopError`` when it does not come in time."""
        start_us = self._await(lambda: self._control.start_at_us, timeout_s)
        if start_us is None:
            raise TrialStopError("failed", "start-timeout", f"no start instant within {timeout_s:g} s")
        return start_us

    def await_endpoints(self, names: Collection[str], timeout_s: float) -> dict[str, Endpoint]:
        """Where the trial's other hosts offer ``names``. Raises ``TrialStopError`` when one does not come in time."""
        if not names:
            return {}

        def all_known() -> dict[str, Endpoint] | None:
            known = {endpoint.name: endpoint for endpoint in self._control.endpoints}
            return {name: known[name] for name in names} if known.keys() >= set(names) else None

        found = self._await(all_known, timeout_s)
        if found is None:
            missing = sorted(set(names) - {endpoint.name for endpoint in self._control.endpoints})
            reason = f"no other host has announced {', '.join(missing)} within {timeout_s:g} s"
            raise TrialStopError("failed", "peers-missing", reason)
        return found

    @contextmanager
    def awaiting_streams_done(self) -> Iterator[Callable[[int], bool]]:
        """Yields a wait: until all streams of the other hosts have ended, at most until an instant of
        CLOCK_MONOTONIC; true where they have. It raises ``TrialStopError`` as soon as the trial has to end."""

        def done() -> bool | None:
            return self._control.streams_done or None

        with self._listening(done):
            yield lambda instant_us: bool(self._wait(done, instant_us))

    def _await(self, news: Callable[[], _News | None], timeout_s: float) -> _News | None:
        with self._listening(news):
            return self._wait(news, monotonic_us() + round(timeout_s * 1e6))

    @contextmanager
    def _listening(self, wanted: Callable[[], object | None]) -> Iterator[None]:
        self._wanted = wanted
        self._look_up()
        try:
            yield
        finally:
            self._wanted = None

    def _wait(self, news: Callable[[], _News | None], instant_us: int) -> _News | None:
        """What ``news`` gives as soon as it gives something, ``None`` from ``instant_us`` on."""
        with self._changed:
            while True:
                self._check()
                found = news()
                left_us = instant_us - monotonic_us()
                if found is not None or left_us <= 0:
                    return found
                self._changed.wait(left_us / 1e6)

    def _check(self) -> None:
        if self._stop is not None:
            raise self._stop
        if monotonic_us() > self._deadline_us:
            raise TrialStopError("failed", "deadline-exceeded", "the trial took longer than its phases allow")
