"""Whether requests waited during the churn, decided by intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.dynamic_upstreams.model import LockModel
from ngxlab.templates.dynamic_upstreams.quantities import P50_BEFORE, P50_DURING, P99_BEFORE, P99_TYPICAL
from ngxlab.templates.estimates import Decided
from ngxlab.templates.evidence import Evidence

TWICE = 2.0
"""From here on, more of a request's latency is caused by the churn than by all else: before it, all else took the
whole. A smaller rise may be the CPU that updates take, which is not what the article's rule is about."""

_PHASES: Sequence[tuple[Metric, Metric]] = ((P99_TYPICAL, P99_BEFORE), (P50_DURING, P50_BEFORE))


@dataclass(frozen=True)
class Observed:
    """``felt``: p99 of a typical second of the churn is at least twice that before, so some requests are late.
    ``stalled``: so is the median of the whole churn, so most are."""

    arm: ArmAnalysis
    model: LockModel
    felt: Decided
    stalled: Decided


def observe(evidence: Evidence) -> list[Observed]:
    """In the arms' order, those with values of both phases. All answers together are true with 95 %."""
    tests = len(_PHASES) * len(evidence.arms)
    observed = []
    for arm in evidence.arms:
        felt, stalled = (evidence.quotient(arm, of, to, tests=tests) for of, to in _PHASES)
        if felt is not None and stalled is not None:
            model = LockModel.of(evidence.parameters, evidence.variables(arm))
            observed.append(Observed(arm, model, felt.at_least(TWICE), stalled.at_least(TWICE)))
    return observed
