"""Claims of several looks at one experiment, all of which hold together.

The intervals of all looks hold at once with the family's probability, so what they have in common holds too: a claim
that was made at one look stands at the next, whatever the error there.

Source: C. Jennison, B. W. Turnbull, Interim analyses: the repeated confidence interval approach, Journal of the Royal
Statistical Society B 51, 1989.
"""

import math
from dataclasses import replace

from ngxlab_verdict.decision import Decision
from ngxlab_verdict.words import Claim, word


def standing(claim: Claim, before: Claim | None, decision: Decision) -> Claim:
    """``claim`` with the part of its interval that the earlier one shares.

    Where the newer estimate lies outside of that part, the looks contradict each other, and the newer one counts alone.
    """
    if before is None or before.low is None or before.high is None:
        return claim
    if claim.estimate is None or claim.low is None or claim.high is None:
        return claim if before.verdict == "undecided" else before
    low, high = max(claim.low, before.low), min(claim.high, before.high)
    if not low <= claim.estimate <= high:
        return claim
    scale = math.log if claim.scale == "ratio" else float
    margin = decision.margin
    below, above = scale(low), scale(high)
    return replace(
        claim,
        low=low,
        high=high,
        verdict=word(scale(claim.estimate), below, above, margin, decision.rule.direction),
        at_least=below > margin or above < -margin,
    )
