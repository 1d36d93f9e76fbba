"""What every check is made of: a declaration that docs/checks.md shows, and a function that applies its rule."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.streams import StreamSpec
from pydantic import TypeAdapter

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import (
    CheckResult,
    CheckSeverity,
    MetricGroup,
    StreamSummary,
    TrialHostSummary,
    TrialSummary,
)

GRAVITY: dict[CheckSeverity, int] = {"pass": 0, "info": 1, "unavailable": 2, "warning": 3, "error": 4}


class Finding(NamedTuple):
    """``message`` says what was measured. ``remedy`` is ``None`` for a pass and where the check could not be made."""

    severity: CheckSeverity
    message: Sentence
    remedy: str | None = None


def passed(template: str, **values: str | float) -> Finding:
    return Finding("pass", say(template, **values))


def unavailable(template: str, **values: str | float) -> Finding:
    """The data that the rule needs are missing."""
    return Finding("unavailable", say(template, **values))


def figure(value: float, significant: int = 2) -> str:
    """Rounded, and never as a power of ten: ``0.034``, ``3.3``, ``100``, ``1,600``."""
    return f"{Decimal(f'{value:.{significant}g}'):,f}"


@dataclass(frozen=True)
class TrialContext:
    """A trial's record and summary. ``host`` is the host under check: the target, unless a rule concerns others."""

    record: TrialRecord
    summary: TrialSummary
    host: HostRecord

    @property
    def several_hosts(self) -> bool:
        return len(self.record.hosts) > 1

    @property
    def host_summary(self) -> TrialHostSummary:
        """The summary of the host under check."""
        return next(one for one in self.summary.hosts if one.host_id == self.host.host_id)

    @property
    def own_streams(self) -> list[StreamSummary]:
        """Streams of the host under check."""
        return [stream for stream in self.summary.streams if stream.host_id == self.host.host_id]

    @property
    def all_streams(self) -> list[StreamSpec]:
        """The plan of every stream of the trial."""
        return [stream for host in self.record.hosts for stream in host.spec.streams]

    @property
    def steered(self) -> frozenset[str]:
        """The streams whose rates the agent sets: they change, and go beyond what nginx can take, on purpose."""
        return frozenset(stream.key for stream in self.all_streams if stream.is_steered)

    @property
    def steady_streams(self) -> list[StreamSummary]:
        """Those of the host under check whose load is as planned."""
        return [stream for stream in self.own_streams if stream.stream not in self.steered]

    def on(self, host: HostRecord) -> "TrialContext":
        return replace(self, host=host)

    def name(self, host: HostRecord) -> str:
        return self.record.labels[host.host_id]


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
