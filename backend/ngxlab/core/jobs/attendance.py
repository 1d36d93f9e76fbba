"""Since when hosts could be heard, or Redis be reached. Silence before that says nothing."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Self

from ngxlab.core.clock import utcnow

LONGEST_GAP = timedelta(seconds=10)
"""Twice the pause between two looks, and more: on a busy machine one is late. Hosts have minutes."""


class Attendance:
    """Kept up by whoever looks every few seconds, :meth:`note`.

    A gap means that nobody could be heard, or that the clock was set: whichever it was, hosts have their whole patience
    again.
    """

    def __init__(self, now: Callable[[], datetime] = utcnow, longest_gap: timedelta = LONGEST_GAP) -> None:
        self._now, self._longest_gap = now, longest_gap
        self._since = self._noted = now()

    @classmethod
    def read(cls, text: str) -> Self:
        """As another process has :meth:`written` it."""
        told = cls()
        told._since, told._noted = (datetime.fromisoformat(part) for part in text.split(" "))
        return told

    def written(self) -> str:
        return f"{self._since.isoformat()} {self._noted.isoformat()}"

    def note(self) -> None:
        """All is well at this moment."""
        self._since, self._noted = self.since(), self._now()

    def since(self) -> datetime:
        """The beginning of the present time without a gap: now, where the last note is too old."""
        now = self._now()
        return self._since if timedelta(0) <= now - self._noted <= self._longest_gap else now
