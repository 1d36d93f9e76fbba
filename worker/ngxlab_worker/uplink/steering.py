"""The backend's orders to a running trial: when to start, where other hosts are, when to stop.

The trial's thread waits only through a :class:`Steering`, and other threads pass on what the backend says. So a trial
never waits for the network, and it ends at once when it is told to.
"""

import threading
from collections.abc import Callable, Collection
from typing import Literal, TypeVar

from ngxlab_contracts.trials import Endpoint, TrialControl

from ngxlab_worker.core.clock import monotonic_us

_News = TypeVar("_News")


class TrialStopError(Exception):
    """The trial has to end now. ``code`` is stable; the message is the reason, for people."""

    def __init__(self, outcome: Literal["failed", "cancelled"], code: str, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.code = code


class Steering:
    """The trial is ended at ``deadline_us`` (CLOCK_MONOTONIC), whatever it waits for."""

    def __init__(self, deadline_us: int) -> None:
        self._deadline_us = deadline_us
        self._changed = threading.Condition()
        self._stop: TrialStopError | None = None
        self._control = TrialControl()

    @property
    def revision(self) -> int:
        return self._control.revision

    def update(self, control: TrialControl) -> None:
        """Take over the backend's orders, unless newer ones are here already: they come on two ways."""
        if control.command == "cancel":
            self.stop(TrialStopError("cancelled", "cancelled", "cancelled on request"))
        elif control.command == "discard":
            self.stop(TrialStopError("cancelled", "discarded", "the backend no longer wants this trial"))
        else:
            with self._changed:
                if control.revision >= self._control.revision:
                    self._control = control
                    self._changed.notify_all()

    def stop(self, reason: TrialStopError) -> None:
        """End the trial. Of several reasons the first one counts."""
        with self._changed:
            self._stop = self._stop or reason
            self._changed.notify_all()

    def pause(self, seconds: float) -> None:
        """Sleep; raises ``TrialStopError`` as soon as the trial has to end."""
        self.pause_until(monotonic_us() + round(seconds * 1e6))

    def pause_until(self, instant_us: int) -> None:
        """Sleep until an instant of CLOCK_MONOTONIC; raises ``TrialStopError`` as soon as the trial has to end."""
        self._wait(lambda: None, instant_us)

    def await_start(self, timeout_s: float) -> int:
        """Wait for the agreed start, on the backend's clock. Raises ``TrialStopError`` where it is not set in time."""
        start_us = self._await(lambda: self._control.start_at_us, timeout_s)
        if start_us is None:
            raise TrialStopError(
                "failed",
                "start-timeout",
                f"the backend gave no start within {timeout_s:g} s: see the trial's other hosts",
            )
        return start_us

    def await_endpoints(self, names: Collection[str], timeout_s: float) -> dict[str, Endpoint]:
        """Wait for the other hosts to announce ``names``. Raises ``TrialStopError`` where one is not in time."""
        if not names:
            return {}

        def all_announced() -> dict[str, Endpoint] | None:
            announced = {endpoint.name: endpoint for endpoint in self._control.endpoints}
            return {name: announced[name] for name in names} if announced.keys() >= set(names) else None

        endpoints = self._await(all_announced, timeout_s)
        if endpoints is None:
            missing = sorted(set(names) - {endpoint.name for endpoint in self._control.endpoints})
            reason = f"no other host has announced {', '.join(missing)} within {timeout_s:g} s"
            raise TrialStopError("failed", "peers-missing", reason)
        return endpoints

    def await_streams_done(self, instant_us: int) -> bool:
        """Wait until all streams of the other hosts have ended, or until an instant of CLOCK_MONOTONIC; whether they
        have. Raises ``TrialStopError`` as soon as the trial has to end."""
        return bool(self._wait(lambda: self._control.streams_done or None, instant_us))

    def _await(self, news: Callable[[], _News | None], timeout_s: float) -> _News | None:
        return self._wait(news, monotonic_us() + round(timeout_s * 1e6))

    def _wait(self, news: Callable[[], _News | None], instant_us: int) -> _News | None:
        """The first result of ``news`` that is not ``None``; ``None`` once it is ``instant_us``."""
        with self._changed:
            while True:
                self._check()
                latest = news()
                left_us = instant_us - monotonic_us()
                if latest is not None or left_us <= 0:
                    return latest
                self._changed.wait(left_us / 1e6)

    def _check(self) -> None:
        if self._stop is not None:
            raise self._stop
        if monotonic_us() > self._deadline_us:
            raise TrialStopError("failed", "deadline-exceeded", "the trial took longer than its phases allow")
