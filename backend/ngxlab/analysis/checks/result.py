"""What every check is made of."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import CheckResult, CheckSeverity, TrialSummary


class Finding(NamedTuple):
    """What a rule saw. ``mend`` is for findings that are not a pass."""

    severity: CheckSeverity
    message: str
    mend: str | None = None


def passed(message: str) -> Finding:
    return Finding("pass", message)


def unavailable(reason: str) -> Finding:
    return Finding("unavailable", reason)


@dataclass(frozen=True)
class TrialContext:
    """A trial's record, its summary, and its target host."""

    record: TrialRecord
    summary: TrialSummary
    host: HostRecord


TrialRule = Callable[[TrialContext], Finding]
RunRule = Callable[[list[TrialSummary]], Finding]


class TrialCheck(NamedTuple):
    """``number`` as in DOMAIN 5; 0 for a rule that is not in its table."""

    number: int
    key: str
    title: str
    rule: TrialRule

    def apply(self, context: TrialContext) -> CheckResult:
        return _result(self.number, self.key, self.title, self.rule(context), [context.summary])


class RunCheck(NamedTuple):
    """A rule that compares trials with one another."""

    number: int
    key: str
    title: str
    rule: RunRule

    def apply(self, summaries: list[TrialSummary]) -> CheckResult:
        return _result(self.number, self.key, self.title, self.rule(summaries), summaries)


def _result(number: int, key: str, title: str, finding: Finding, summaries: list[TrialSummary]) -> CheckResult:
    return CheckResult(
        number=number,
        key=key,
        severity=finding.severity,
        title=title,
        message=finding.message,
        mend=finding.mend,
        trial_ids=[summary.trial_id for summary in summaries],
    )
