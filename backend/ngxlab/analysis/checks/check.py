"""What every check is made of: a declaration that docs/checks.md shows, and a function that applies its rule."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter

from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.finding import Finding
from ngxlab.analysis.schemas import CheckResult, CheckSeverity, MetricGroup, TrialSummary

TrialRule = Callable[[TrialContext], Finding]
RunRule = Callable[[list[TrialSummary]], Finding]


class Evidence(NamedTuple):
    """How a result is known to come when it should. ``how``: the fault that a test puts into a real trial; where no
    test can, why not."""

    how: str
    real: Literal["yes", "no", "on some machines"] = "yes"


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """What docs/checks.md says of a check: its words are in ``declarations/KEY.toml``.

    ``number`` is 0 for a check without a number. ``title`` says what a pass means, and ``failed`` what any other result
    means; ``rule`` says when the check fails and with which severity, ``voids`` what a failure makes unusable.
    ``results`` has the severities other than a pass, each with its evidence, ``remedies`` what it can advise.
    ``source`` documents the data or the rule. ``voids_groups``: the groups of metrics whose claims an error voids;
    empty for all.
    """

    key: str
    number: int = 0
    title: str
    failed: str
    rule: str
    data: str
    results: Mapping[CheckSeverity, Evidence]
    voids: str
    remedies: tuple[str, ...]
    source: str
    voids_groups: tuple[MetricGroup, ...] = ()

    def titled(self, severity: CheckSeverity) -> str:
        """A title that is true of a result."""
        if severity == "unavailable":
            return f"Not checked: {self.title[0].lower()}{self.title[1:]}"
        return self.title if severity == "pass" else self.failed

    def result(self, finding: Finding, summaries: list[TrialSummary]) -> CheckResult:
        return CheckResult(
            number=self.number,
            key=self.key,
            severity=finding.severity,
            title=self.titled(finding.severity),
            message=finding.message,
            remedy=finding.remedy,
            voids=list(self.voids_groups),
            trial_ids=[summary.trial_id for summary in summaries],
        )


@dataclass(frozen=True, kw_only=True)
class TrialCheck(Declaration):
    """A check of one trial. ``while_measured``: also while it is measured, on what its hosts have sent so far, since it
    needs neither the generators' final counts, nor the whole window, nor what is read after it."""

    while_measured: bool
    judge: TrialRule

    def apply(self, context: TrialContext) -> CheckResult:
        return self.result(self.judge(context), [context.summary])


@dataclass(frozen=True, kw_only=True)
class RunCheck(Declaration):
    """A check that compares the trials of a run."""

    judge: RunRule

    def apply(self, summaries: list[TrialSummary]) -> CheckResult:
        return self.result(self.judge(summaries), summaries)


def trial_check(key: str, judge: TrialRule, *remedies: str, **bounds: float | str) -> TrialCheck:
    """``bounds``: of the rule, for the places that its words have for them."""
    declared = _declared(key, bounds) | {"judge": judge, "remedies": remedies}
    return TypeAdapter(TrialCheck).validate_python(declared, extra="forbid")


def run_check(key: str, judge: RunRule, *remedies: str) -> RunCheck:
    declared = _declared(key, {}) | {"judge": judge, "remedies": remedies}
    return TypeAdapter(RunCheck).validate_python(declared, extra="forbid")


def _declared(key: str, bounds: Mapping[str, float | str]) -> dict[str, Any]:
    words = tomllib.loads((Path(__file__).parent / "declarations" / f"{key}.toml").read_text(encoding="utf-8"))
    return words | {"key": key, "rule": words["rule"].format(**bounds), "data": words["data"].format(**bounds)}
