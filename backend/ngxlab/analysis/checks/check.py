"""What every check is made of."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from ngxlab_contracts.streams import StreamSpec

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import CheckResult, CheckSeverity, HostSummary, StreamSummary, TrialSummary

GRAVITY: dict[CheckSeverity, int] = {"pass": 0, "info": 1, "unavailable": 2, "warning": 3, "error": 4}


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
    """A trial's record and summary, and the host that is looked at: the target, unless the rule is asked of others."""

    record: TrialRecord
    summary: TrialSummary
    host: HostRecord

    @property
    def several_hosts(self) -> bool:
        return len(self.record.hosts) > 1

    @property
    def host_summary(self) -> HostSummary:
        """Of the host that is looked at."""
        return next(one for one in self.summary.hosts if one.host_id == self.host.host_id)

    @property
    def own_streams(self) -> list[StreamSummary]:
        """Of the host that is looked at."""
        return [stream for stream in self.summary.streams if stream.host_id == self.host.host_id]

    @property
    def all_streams(self) -> list[StreamSpec]:
        """The plan of every stream of the trial."""
        return [stream for host in self.record.hosts for stream in host.spec.streams]

    def on(self, host: HostRecord) -> "TrialContext":
        return replace(self, host=host)

    def name(self, host: HostRecord) -> str:
        return self.record.labels[host.host_id]


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
