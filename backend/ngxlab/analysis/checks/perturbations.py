"""Did every perturbation take place?"""

from collections.abc import Iterator

from ngxlab_contracts.sentences import Sentence, listed, say

from ngxlab.analysis.checks.check import trial_check
from ngxlab.analysis.checks.context import TrialContext
from ngxlab.analysis.checks.finding import Finding, passed, unavailable
from ngxlab.analysis.schemas import ActionsSummary

_LOOK_AT_MARKS = "look at their marks in the charts; skipped actions need more time between them, or a longer window"


def _all_done(context: TrialContext) -> Finding:
    """Whether every action of every perturbation was carried out and succeeded."""
    planned = [one.key for host in context.record.hosts for one in host.spec.perturbations]
    if context.host.window is None:
        return unavailable("the trial has no measured window")
    if not planned:
        return passed("does not apply: no perturbation is planned")
    done = context.summary.actions
    missing = sorted(set(planned) - {one.perturbation for one in done})
    incomplete = [*_incomplete(done), *(say("{key}: no action was carried out", key=key) for key in missing)]
    if incomplete:
        return Finding("warning", listed(incomplete, "; "), _LOOK_AT_MARKS)
    return passed("all {count} actions were carried out and succeeded", count=sum(one.count for one in done))


def _incomplete(done: list[ActionsSummary]) -> Iterator[Sentence]:
    for one in done:
        clauses = [say("{failed} of {count} failed", failed=one.failed, count=one.count)] if one.failed else []
        clauses += (
            [say("{skipped} of {count} were skipped", skipped=one.skipped, count=one.count)] if one.skipped else []
        )
        if clauses:
            yield say("{key} ({action}): {clauses}", key=one.perturbation, action=one.action, clauses=listed(clauses))


PERTURBATIONS = trial_check("perturbations", _all_done, _LOOK_AT_MARKS)
