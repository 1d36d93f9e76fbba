"""Since when this process has been able to hear its hosts, or to reach Redis. Silence before that says nothing."""

from collections.abc import Callable
from datetime import datetime, timedelta

from ngxlab.core.clock import utcnow

_LONGEST_GAP = timedelta(seconds=10)
"""Twice the pause between rounds, and more: on a busy machine one is late. Hosts have minutes."""


class Attendance:
    """Kept up by a round that touches the database every four seconds or sooner, :meth:`note`.

    A gap means that the process or the database stood still, or that the clock was set: whichever it was, hosts have
    their whole patience again.
    """

    def __init__(self, now: Callable[[], datetime] = utcnow) -> None:
        self._now = now
        self._since = self._noted = now()

    def note(self) -> None:
        """The database has just answered."""
        self._since, self._noted = self.since(), self._now()

    def since(self) -> datetime:
        """The beginning of the present time without a gap: now, where the last note is too old."""
        now = self._now()
        return self._since if timedelta(0) <= now - self._noted <= _LONGEST_GAP else now
