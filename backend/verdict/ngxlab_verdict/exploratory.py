"""Which exploratory comparisons may be called higher or lower: few enough of the words are expected to be false.

Of 40 comparisons in which nothing differs, two leave their 95 % intervals by chance. So the words of all exploratory
comparisons of an experiment are chosen together: of those that are called higher or lower, at most 5 % are expected
not to differ (false discovery rate). Each keeps its own 95 % interval.

Source: Y. Benjamini, Y. Hochberg, Controlling the false discovery rate: a practical and powerful approach to multiple
testing, Journal of the Royal Statistical Society B 57, 1995. It holds for comparisons that are independent or depend
on each other positively, as those with one baseline do: Y. Benjamini, D. Yekutieli, The control of the false discovery
rate in multiple testing under dependency, Annals of Statistics 29, 2001.
"""

from collections.abc import Sequence
from dataclasses import replace

from ngxlab_verdict.words import Claim, Reason

_DIFFER = frozenset({"higher", "lower"})


def withhold(claims: Sequence[Claim], rate: float) -> list[Claim]:
    """``claims``: all exploratory ones. Those that may be chance among so many are undecided, with that reason.

    A comparison that would not be called different anyhow, since it lies within the margin, makes no room for others.
    """
    chances = [claim.chance if claim.verdict in _DIFFER and claim.chance is not None else 1.0 for claim in claims]
    limit = highest_chance(chances, rate)
    return [
        _undecided(claim, len(claims)) if claim.verdict in _DIFFER and chance > limit else claim
        for claim, chance in zip(claims, chances, strict=True)
    ]


def highest_chance(chances: Sequence[float], rate: float) -> float:
    """Up to which chance comparisons are called different; 0 if none is."""
    passed = (chance for rank, chance in enumerate(sorted(chances), start=1) if chance <= rate * rank / len(chances))
    return max(passed, default=0.0)


def _undecided(claim: Claim, count: int) -> Claim:
    reason = Reason("one of {count} exploratory comparisons may differ as much by chance", count=count)
    return replace(claim, verdict="undecided", at_least=False, reason=reason)
