"""Rounds: what Celery beat fires again and again, where something is to be done or a time is over."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlalchemy import TIMESTAMP, ColumnElement, bindparam

from ngxlab.core.database import Database
from ngxlab.core.jobs.kinds import Kind

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
