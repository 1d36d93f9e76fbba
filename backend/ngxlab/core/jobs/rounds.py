"""Rounds: what Celery beat fires again and again, where something is to be done or a time is over."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from sqlalchemy import TIMESTAMP, ColumnElement, bindparam

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.core.jobs.kinds import Kind

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


NOW = bindparam("now", None, TIMESTAMP(timezone=True))
"""In a question: when it is asked."""


@dataclass(frozen=True)
class Round:
    """What is fired: a ``kind`` of jobs, or ``little``, which costs less than to give it to a worker.

    ``question``: asked all the time; yes fires it, but not more often than every ``least_s``. Where it is ``busy``,
    it is asked again after a second. ``period_s``: after which it is fired anyway. ``marker``: a key of Redis, whose
    absence fires it. ``with_attendance``: it is told since when hosts could be heard, and Redis be reached.
    """

    kind: Kind | None = None
    little: Callable[[Database], Awaitable[None]] | None = None
    question: ColumnElement[bool] | None = None
    least_s: float = 0.0
    period_s: float | None = None
    marker: str | None = None
    busy: bool = False
    with_attendance: bool = False
