"""What was said of a run, by which version of the method, and when.

A newer version judges anew. Where it says something else, what was said before stays with the run, and is shown.
"""

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.method import METHOD
from ngxlab.core.clock import utcnow
from ngxlab.runs.models import Run
from ngxlab.runs.presentation import judgement
from ngxlab.runs.schemas import FormerJudgement, Judgement

_INTERVAL = re.compile(r"\(([^()]* CI [^()]*)\)")
_FIGURE = re.compile(r"[+−-]?\d[\d,]*(?:\.\d+)?")


def meaning(one: Judgement) -> tuple[Any, ...]:
    """Equal for judgements that say the same: answers and intervals as they are shown, whatever their digits below.

    How many checks there are, which the headline ends with, says nothing of the arms.
    """
    intervals = [_FIGURE.findall(interval) for interval in _INTERVAL.findall(one.headline)]
    answers = [(answer.sign, str(answer.word), str(answer.text)) for answer in one.answers]
    return one.verdict, one.outcome, answers, intervals


def keep(run: Run, analysis: dict[str, Any], *, passed: bool | None) -> None:
    """Store what this version says of a run that is over, and beside it what another one said differently."""
    former, now = judgement(run), utcnow()
    run.analysis, run.passed = analysis, passed
    own = judgement(run)
    is_same = former is not None and own is not None and meaning(former) == meaning(own)
    if former is not None and not is_same and run.method != METHOD:
        told = FormerJudgement(**dict(former), until=now)
        run.judged_before = [*run.judged_before, told.model_dump(mode="json")]
    if not is_same or run.method != METHOD:
        run.judged_at = now
    run.method = METHOD


def is_outdated() -> ColumnElement[bool]:
    """Whether an earlier version has judged the run."""
    return and_(Run.finished_at.is_not(None), Run.analysis.is_not(None), Run.method < METHOD)


async def outdated(session: AsyncSession, limit: int | None = None) -> Sequence[UUID]:
    """The runs that an earlier version has judged, the newest first."""
    found = select(Run.id).where(is_outdated()).order_by(Run.created_at.desc()).limit(limit)
    return (await session.scalars(found)).all()
