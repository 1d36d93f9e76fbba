"""In which order requests begin to be answered: a few in each turn of the event loop, and each address in its turn.

A thousand requests that arrive at once would otherwise all be begun before anybody else is listened to. The event loop
takes one new connection in a turn, so those that wait to be taken get as much time as the requests of others.
"""

import time
from collections import deque
from collections.abc import Callable

AT_ONCE = 4
"""Requests begun in one turn of the event loop. Refusing one costs some milliseconds at most."""

Begin = Callable[[], None]


class Turns:
    """Waiting requests by lane: an address, or what is to be answered beside all addresses.

    ``soon``: calls a function in the next turn of the event loop. ``clock``: seconds of work of the loop's thread.
    """

    def __init__(self, soon: Callable[[Begin], object], clock: Callable[[], float] = time.thread_time) -> None:
        self._soon, self._clock = soon, clock
        self._lanes: dict[str, deque[Begin]] = {}
        self._is_due = False
        self._began_at: float | None = None
        self._listen_until = 0.0
        self._has_arrived = False

    def arrived(self) -> None:
        """A new connection was taken: there may be more."""
        self._has_arrived = True

    def wait(self, lane: str, begin: Begin) -> None:
        """Call ``begin`` when it is this lane's turn; requests of one lane keep their order."""
        self._lanes.setdefault(lane, deque()).append(begin)
        self._call_soon()

    def _call_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._soon(self._turn)

    def _turn(self) -> None:
        self._is_due = False
        now = self._clock()
        if self._began_at is not None:  # since then the loop has worked on what was begun
            self._listen_until = 2 * now - self._began_at
            self._began_at = None
        listens, self._has_arrived = self._has_arrived and now < self._listen_until, False
        try:
            if not listens:
                self._began_at = now
                self._begin()
        finally:
            if self._lanes:
                self._call_soon()

    def _begin(self) -> None:
        for _ in range(AT_ONCE):
            if self._lanes:
                self._next()()

    def _next(self) -> Begin:
        """That of the lane which has waited longest; it is then the last."""
        lane = next(iter(self._lanes))
        waiting = self._lanes.pop(lane)
        begin = waiting.popleft()
        if waiting:
            self._lanes[lane] = waiting
        return begin
