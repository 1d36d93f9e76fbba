"""No claim is made of few pairs before the planned end."""

from collections.abc import Sequence
from dataclasses import replace

from ngxlab_verdict.looks import FIRST_LOOK, Looks
from ngxlab_verdict.words import Claim


def undecided_before_first(claims: Sequence[Claim], looks: Looks | None) -> list[Claim]:
    """Without the intervals of arms that have fewer pairs than the first look."""
    if looks is None:
        return list(claims)
    return [claim if claim.pairs >= FIRST_LOOK or claim.low is None else _withheld(claim) for claim in claims]


def _withheld(claim: Claim) -> Claim:
    reason = f"a verdict before the planned end needs at least {FIRST_LOOK} pairs"
    return replace(claim, verdict="undecided", low=None, high=None, at_least=False, reason=reason)
