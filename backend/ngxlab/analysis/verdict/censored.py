"""Claims on a value that some trials only bound: a recovery that had not ended when the window did."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_verdict import Claim

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.verdict.usable_trials import TrialsByBlock


def without_censored(
    claims: Sequence[Claim], metrics: Sequence[Metric], usable: Mapping[str, TrialsByBlock], baseline: str
) -> list[Claim]:
    """``claims`` without an estimate where a trial of the arm or the baseline has no end of what the metric times.

    Leaving such trials out would compare the trials that went well: an arm that failed to recover would look better.
    """
    by_name = {metric.name: metric for metric in metrics}
    kept = []
    for claim in claims:
        reasons = [unended(by_name[claim.metric], arm, usable[arm]) for arm in (claim.arm, baseline)]
        reason = next((one for one in reasons if one is not None), None)
        kept.append(claim if reason is None else without_estimate(claim, reason))
    return kept


def without_estimate(claim: Claim, reason: str) -> Claim:
    return replace(claim, verdict="undecided", estimate=None, low=None, high=None, at_least=False, reason=reason)


def unended(metric: Metric, arm: str, trials: TrialsByBlock) -> Sentence | None:
    """In how many trials what the metric times had not ended, in words; ``None`` if it always had."""
    if metric.ended_if is None:
        return None
    count = sum(trial.metric_values.get(metric.ended_if) == 0 for trial in trials.values())
    if not count:
        return None
    return say(
        "it had not ended within the window in {count} of {trials} trials of {arm}",
        count=count,
        trials=len(trials),
        arm=arm,
    )
