"""Which claims the run's checks void (docs/method.md, What voids a comparison)."""

from collections.abc import Collection, Sequence

from ngxlab_contracts.sentences import Sentence, fixed, listed, say

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmMetric, CheckSummary, MetricGroup, RolledCheck


def why_void(checks: CheckSummary, group: MetricGroup | None) -> Sentence | None:
    """The first error that voids claims on metrics of this group, in words; of no group: that voids everything."""
    return next((_said(check) for check in checks.results if _voids(check) and _names(check, group)), None)


def warned(checks: CheckSummary, keys: Collection[str], group: MetricGroup | None) -> Sentence | None:
    """The first warning of these checks that concerns metrics of this group, in words."""
    found = (one for one in checks.results if one.key in keys and one.severity == "warning" and _names(one, group))
    return next((_said(check) for check in found), None)


def void_summary(checks: CheckSummary) -> Sentence | None:
    """All errors that void claims, each once, with what they void unless that is everything."""
    said = [
        say("{reason} (voids {voids})", reason=_said(check), voids=listed(map(fixed, check.voids), " and "))
        if check.voids
        else _said(check)
        for check in checks.results
        if _voids(check)
    ]
    return listed(said, "; ") if said else None


def no_conclusions(checks: CheckSummary) -> list[Sentence]:
    """A sentence for each error that voids some claims only."""
    return [
        say("No conclusion on {voids}: {reason}.", voids=listed(map(fixed, check.voids), " and "), reason=_said(check))
        for check in checks.results
        if _voids(check) and check.voids
    ]


def void(metrics: Sequence[Metric], measured: Sequence[ArmMetric], checks: CheckSummary) -> list[ArmMetric]:
    """``measured`` with the comparisons in void metrics marked: their figures stay, their words go."""
    marked = []
    for metric, own in zip(metrics, measured, strict=True):
        reason = why_void(checks, metric.info.group)
        if reason is not None and own.comparison is not None:
            changes = {"verdict": "not_valid", "reason": reason, "at_least": False}
            changes |= {"more_blocks": None, "blocks_for_none": None, "chance": None}
            own = own.model_copy(update={"comparison": own.comparison.model_copy(update=changes)})  # noqa: PLW2901
        marked.append(own)
    return marked


def _voids(check: RolledCheck) -> bool:
    return check.severity == "error"


def _names(check: RolledCheck, group: MetricGroup | None) -> bool:
    return not check.voids or group in check.voids


def _said(check: RolledCheck) -> Sentence:
    title = fixed(f"{check.title[0].lower()}{check.title[1:]}")
    return say("{title}, {message}", title=title, message=check.message)
