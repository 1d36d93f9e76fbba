"""Results of validity checks: of one trial, and over a run."""

from typing import Literal
from uuid import UUID

from ngxlab_contracts.sentences import Sentence
from pydantic import Field

from ngxlab.analysis.schemas.metric import MetricGroup
from ngxlab.analysis.schemas.model import AnalysisModel

CheckSeverity = Literal["pass", "info", "warning", "error", "unavailable"]


class CheckResult(AnalysisModel):
    """The result of one validity check of a trial or a run. docs/checks.md describes each check."""

    number: int = Field(description="its number in docs/checks.md; 0 for a check without a number")
    key: str = Field(description="stable identifier, e.g. generator-saturated")
    severity: CheckSeverity = Field(description="unavailable: the data are missing, so it is not a pass")
    title: str = Field(description="what the result means, e.g. The generator was saturated")
    message: Sentence = Field(description="what was measured")
    remedy: str | None = Field(description="what to do about it; None for a pass and where the check is unavailable")
    trial_ids: list[UUID] = Field(description="trials that were checked")
    voids: list[MetricGroup] = Field(
        default_factory=list, description="groups of metrics whose claims an error voids; empty: all of them"
    )


class RolledCheck(AnalysisModel):
    """A check over all trials: the worst severity, where ``unavailable`` ranks between info and warning."""

    number: int
    key: str
    severity: CheckSeverity
    title: str
    message: Sentence = Field(description="of the worst result, with the number of trials that have it")
    remedy: str | None
    trial_ids: list[UUID] = Field(description="trials with that severity; empty for a pass")
    voids: list[MetricGroup] = Field(default_factory=list, description="as in each result")
    trials_made: int = Field(description="trials for which the check could be made")


class CheckSummary(AnalysisModel):
    """All checks of a run. ``text``: e.g. "11 of 12 checks passed; warning: shared cores"."""

    passed: int
    made: int = Field(description="all but info and unavailable")
    warnings: int
    errors: int
    unavailable: int
    text: Sentence
    results: list[RolledCheck]
