"""The limits of a trial, and what limited an arm."""

from collections import Counter
from collections.abc import Callable, Sequence

from ngxlab_contracts.sentences import Sentence, listed, say

from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.schemas import TrialSummary
from ngxlab.analysis.schemas.trial import Bottleneck, Resource, ResourceUse
from ngxlab.analysis.summary.bottleneck.cpu import generator_use, host_use, worker_use
from ngxlab.analysis.summary.bottleneck.devices import accept_queue_use, disk_use, network_use
from ngxlab.analysis.summary.bottleneck.upstream import upstream_use

_RULES: tuple[Callable[[TrialRecord], ResourceUse | None], ...] = (
    generator_use,
    worker_use,
    host_use,
    network_use,
    disk_use,
    accept_queue_use,
    upstream_use,
)
"""Rules in the order in which they explain one another: a generator without CPU hides what is behind it, a busy worker
fills the listen queue."""


def resource_uses(record: TrialRecord) -> list[ResourceUse]:
    """What was measured; the first that limits is the trial's bottleneck."""
    return [use for rule in _RULES if (use := rule(record)) is not None]


def bottleneck(trials: Sequence[TrialSummary]) -> Bottleneck | None:
    """What limited most of an arm's usable trials, with the evidence of one of them; ``None`` without a trial."""
    if not trials:
        return None
    by_trial = [(_limit(trial.resources), trial) for trial in trials]
    resource, count = Counter(limit for limit, _ in by_trial).most_common(1)[0]
    having = sorted((trial for limit, trial in by_trial if limit == resource), key=_rate)
    shown = having[(len(having) - 1) // 2].resources
    limiting = next((use for use in shown if use.limits), None)
    return Bottleneck(
        resource=resource,
        trials=count,
        of_trials=len(trials),
        evidence=limiting.evidence if limiting is not None else _without(shown),
        resources=shown,
    )


def _limit(resources: Sequence[ResourceUse]) -> Resource | None:
    return next((use.resource for use in resources if use.limits), None)


def _rate(trial: TrialSummary) -> float:
    return trial.requests_per_s or 0.0


def _without(resources: Sequence[ResourceUse]) -> Sentence:
    if not resources:
        return say("no resource was measured")
    return say("no resource was at its limit: {seen}", seen=listed((use.evidence for use in resources), "; "))
