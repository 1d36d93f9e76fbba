"""Results of validity checks: of one trial, and over a run."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from ngxlab.analysis.schemas.model import AnalysisModel

CheckSeverity = Literal["pass", "info", "warning", "error", "unavailable"]


class CheckResult(AnalysisModel):
    """An automatic validity rule applied to a trial or to a run (DOMAIN 5)."""

    number: int = Field(description="as in DOMAIN 5; 0 for rules of our own")
    key: str = Field(description="stable identifier, e.g. generator-saturated")
    severity: CheckSeverity = Field(description="unavailable: could not be made, with the reason; it is not a pass")
    title: str = Field(description="what the rule asks for, e.g. The generator had CPU to spare")
    message: str = Field(description="what was seen, with figures")
    mend: str | None = Field(description="what to do about it; None for a pass")
    trial_ids: list[UUID] = Field(description="trials concerned")


class RolledCheck(AnalysisModel):
    """A rule over all trials: the worst severity, where ``unavailable`` ranks between info and warning."""

    number: int
    key: str
    severity: CheckSeverity
    title: str
    message: str = Field(description="of the worst result, with the number of trials concerned")
    mend: str | None
    trial_ids: list[UUID] = Field(description="trials with that severity; empty for a pass")
    trials_made: int = Field(description="trials in which the rule could be applied")


class CheckSummary(AnalysisModel):
    """``text``: e.g. "11 of 12 checks passed; warning: generator shares cores"."""

    passed: int = Field(description="pass or info")
    made: int = Field(description="all but unavailable")
    warnings: int
    errors: int
    unavailable: int
    text: str
    results: list[RolledCheck]
