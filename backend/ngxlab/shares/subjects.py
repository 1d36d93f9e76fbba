"""What links show: the report of a run, a comparison, the trends of an experiment."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.compare import service as comparisons
from ngxlab.compare.schemas import RunComparison
from ngxlab.compare.selection import Asked
from ngxlab.core.errors import NotFound
from ngxlab.core.stored_json import read
from ngxlab.experiments import service as experiments
from ngxlab.reports import service as reports
from ngxlab.reports.redaction import redacted_model, redacted_report, without_addresses
from ngxlab.reports.schemas import Report
from ngxlab.runs import service as runs
from ngxlab.runs.states import RunState
from ngxlab.shares.models import Share, ShareKind
from ngxlab.trends import service as trends
from ngxlab.trends.schemas import Trends


class Now(NamedTuple):
    """What a link to it would show, without addresses and folders. ``runs``: those it shows something of.

    ``headline``: for a preview of the link. ``goes_on``: it changes by itself, and is not kept yet.
    """

    content: BaseModel
    headline: str
    runs: frozenset[UUID]
    goes_on: bool = False


class Subject(Protocol):
    """``model``: of what it is kept as. ``path``: of its page below the link."""

    kind: ClassVar[ShareKind]
    model: ClassVar[type[BaseModel]]
    path: ClassVar[str]

    async def require_right(self, session: AsyncSession, caller: Caller) -> None:
        """Raises Forbidden for whom it does not belong to, NotFound for what is not there."""

    @property
    def runs(self) -> Sequence[UUID]:
        """Those whose trials must have been computed before anything can be shown."""

    async def title(self, session: AsyncSession) -> str: ...

    async def now(self, session: AsyncSession) -> Now: ...


@dataclass(frozen=True)
class OfReport:
    run_id: UUID
    kind: ClassVar = ShareKind.report
    model: ClassVar[type[BaseModel]] = Report
    path: ClassVar = ""

    async def require_right(self, session: AsyncSession, caller: Caller) -> None:
        await _require_runs(session, caller, self.runs)

    @property
    def runs(self) -> Sequence[UUID]:
        return [self.run_id]

    async def title(self, session: AsyncSession) -> str:
        return await _named(session, self.run_id)

    async def now(self, session: AsyncSession) -> Now:
        report = await asyncio.to_thread(redacted_report, await reports.report(session, self.run_id, None))
        goes_on = not RunState(report.run.state).final
        return Now(report, report.analysis.headline, frozenset({self.run_id}), goes_on)


@dataclass(frozen=True)
class OfComparison:
    asked: Asked
    kind: ClassVar = ShareKind.comparison
    model: ClassVar[type[BaseModel]] = RunComparison
    path: ClassVar = "/comparison"

    async def require_right(self, session: AsyncSession, caller: Caller) -> None:
        await _require_runs(session, caller, self.runs)

    @property
    def runs(self) -> Sequence[UUID]:
        return self.asked.runs

    async def title(self, session: AsyncSession) -> str:
        return f"Compared: {', '.join([await _named(session, run_id) for run_id in self.asked.runs])}"

    async def now(self, session: AsyncSession) -> Now:
        found = await comparisons.compare(session, self.asked)
        content = await asyncio.to_thread(redacted_comparison, found)
        said = " ".join(one.text for one in content.analysis.statements) or "Nothing can be compared."
        return Now(content, said, frozenset(self.asked.runs))


@dataclass(frozen=True)
class OfTrends:
    experiment_id: UUID
    kind: ClassVar = ShareKind.trends
    model: ClassVar[type[BaseModel]] = Trends
    path: ClassVar = "/trends"

    async def require_right(self, session: AsyncSession, caller: Caller) -> None:
        require_owner(caller, (await experiments.get(session, self.experiment_id)).created_by, "experiment")

    @property
    def runs(self) -> Sequence[UUID]:
        return []

    async def title(self, session: AsyncSession) -> str:
        return f"Trends of {(await experiments.get(session, self.experiment_id)).name}"

    async def now(self, session: AsyncSession) -> Now:
        found = await asyncio.to_thread(redacted_model, await trends.trends(session, self.experiment_id))
        runs_shown = [run.model_copy(update={"notes": 0}) for run in found.runs]  # a link to trends leads to no notes
        content = found.model_copy(update={"runs": runs_shown, "branches": []})
        latest = content.latest
        said = f"Is run #{latest.run} different from those before? {latest.word}." if latest else "No run is drawn yet."
        return Now(content, said, frozenset(run.id for run in content.runs))


def subject_of(share: Share) -> Subject:
    """Raises NotFound where nothing is left of it, Unreadable where it is not known what is compared."""
    if share.kind == ShareKind.trends and share.experiment_id is not None:
        return OfTrends(share.experiment_id)
    if share.kind == ShareKind.comparison and share.asked is not None:
        return OfComparison(read(Asked, share.asked, "What a link compares"))
    if share.kind == ShareKind.report and share.runs:
        return OfReport(share.runs[0].run_id)
    raise unknown_link()


def unknown_link() -> NotFound:
    """The same for unknown, revoked and expired links."""
    return NotFound("This link does not exist, was revoked, or has expired.", code="unknown-link")


def redacted_comparison(comparison: RunComparison) -> RunComparison:
    """As in a report, configurations keep their locations."""
    hidden = redacted_model(comparison)
    pairs = zip(hidden.diffs, comparison.diffs, strict=True)
    diffs = [
        shown.model_copy(update={"text": without_addresses(own.text)}) if own.what == "configuration" else shown
        for shown, own in pairs
    ]
    return hidden.model_copy(update={"diffs": diffs})


async def _require_runs(session: AsyncSession, caller: Caller, run_ids: Iterable[UUID]) -> None:
    for run_id in run_ids:
        await runs.require_readable(session, caller, run_id)
        require_owner(caller, (await runs.get(session, run_id)).created_by, "run")


async def _named(session: AsyncSession, run_id: UUID) -> str:
    run = await runs.get(session, run_id)
    return f"{run.version.experiment.name} #{run.number}"
