"""How unequally the numbers of a path are asked for: Zipf's law, by maximum likelihood.

Of what ``{n}`` stood for a sample is known, with how often each came. By Zipf's law of exponent s over N numbers, the
one of rank r comes like r ** -s. N is as many as let so many different ones be seen among so many requests; s is the
one under which the sample's counts are likeliest. The browser does the same
(``frontend/src/domain/mix/popularity.ts``).
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MOST_NUMBERS = 100_000_000
_STEEPEST = 3.0
_STEPS = 14
_HALVINGS = 16
_MOST_OFF, _STEPS_OFF = 3.0, 6
"""Standard errors."""
_WIDTH = 0.05
"""Of the exponent, for the curvature at the maximum."""
_UNLIKELY = 10.83
"""Chi-squared with one degree of freedom, 99.9 %: one path in a thousand whose numbers are alike gets a law."""
_LEAST = 0.05
_COARSEST, _FINENESS = 0.05, 0.5
_FAR = 8.0


@dataclass(frozen=True)
class Popularity:
    """``count``: numbers. ``error``: of the exponent, one standard error."""

    count: int
    exponent: float
    error: float


class _Asked(NamedTuple):
    """``counts``: how many of the sample came so often, by that number. ``distinct``: how many different ones came,
    within ``error``, one standard error."""

    counts: dict[int, int]
    requests: int
    distinct: int
    error: float


def popularity(came: Iterable[int], requests: int, distinct: int, *, sampled: bool) -> Popularity | None:
    """``came``: how often each came, or each of a sample; then ``distinct`` is estimated by it. ``None``: they are as
    if all were equally popular."""
    counts = Counter(came)
    size, distinct = counts.total(), min(distinct, requests)
    if distinct < 3 or max(counts) == 1:
        return None
    error = distinct / math.sqrt(size - 2) if sampled else 0.0
    asked = _Asked(counts, requests, distinct, error)
    exponent, _ = _highest(lambda value: _likelihood(asked, value)[0], 0.0, _STEEPEST, _STEPS)
    best, count = _likelihood(asked, exponent)
    if exponent < _LEAST or 2 * (best - _likelihood(asked, 0.0)[0]) < _UNLIKELY:
        return None
    beside = _likelihood(asked, exponent - _WIDTH)[0] + _likelihood(asked, exponent + _WIDTH)[0]
    curvature = (2 * best - beside) / _WIDTH**2
    if curvature <= 0:
        return None
    return Popularity(count, exponent, 1 / math.sqrt(curvature))


def _highest(value_at: Callable[[float], float], low: float, high: float, steps: int) -> tuple[float, float]:
    """Where a function with one maximum is highest, and how high, by the golden section."""
    share = (math.sqrt(5) - 1) / 2
    left, right = high - share * (high - low), low + share * (high - low)
    of_left, of_right = value_at(left), value_at(right)
    for _ in range(steps):
        if of_left > of_right:
            high, right, of_right = right, left, of_left
            left = high - share * (high - low)
            of_left = value_at(left)
        else:
            low, left, of_left = left, right, of_right
            right = low + share * (high - low)
            of_right = value_at(right)
    middle = (low + high) / 2
    return middle, value_at(middle)


class _Group(NamedTuple):
    """Ranks that come about equally often."""

    rate: float
    size: int


def _rates(exponent: float, count: int, requests: float) -> list[_Group]:
    """The most frequent first. A group is so narrow that its rates are alike within half of what chance makes of them,
    and within 5 %."""
    whole = _harmonic(exponent, count)
    groups, first = [], 1
    while first <= count:
        alike = min(_COARSEST, _FINENESS / math.sqrt(requests * first**-exponent / whole))
        size = max(1, min(math.floor(first * alike), count - first + 1))
        groups.append(_Group(requests * (first + (size - 1) / 2) ** -exponent / whole, size))
        first += size
    return groups


def _harmonic(exponent: float, count: int) -> float:
    """The sum of rank ** -exponent, in groups of 5 %."""
    found, first = 0.0, 1
    while first <= count:
        size = max(1, min(math.floor(first * _COARSEST), count - first + 1))
        found += size * (first + (size - 1) / 2) ** -exponent
        first += size
    return found


def _seen(groups: list[_Group]) -> float:
    """How many different numbers."""
    return sum(size * -math.expm1(-rate) for rate, size in groups)


def _count(exponent: float, requests: int, distinct: float) -> int:
    """Of how many numbers so many different ones are seen."""
    low, high = math.log(max(1.0, distinct)), math.log(MOST_NUMBERS)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _seen(_rates(exponent, math.floor(math.exp(middle)), requests)) < distinct:
            low = middle
        else:
            high = middle
    return max(1, math.floor(math.exp(high)))


def _likelihood(asked: _Asked, exponent: float) -> tuple[float, int]:
    """With the likeliest count of numbers, as far as it is not known how many different ones were seen."""

    def at(off: float) -> float:
        return _joint(asked, exponent, off)[0]

    off = _highest(at, -_MOST_OFF, _MOST_OFF, _STEPS_OFF)[0] if asked.error else 0.0
    return _joint(asked, exponent, off)


def _joint(asked: _Asked, exponent: float, off: float) -> tuple[float, int]:
    """Where the different ones were so many standard errors more than estimated. Too steep a law lets fewer be seen,
    whatever the count."""
    distinct = asked.distinct + off * asked.error
    count = _count(exponent, asked.requests, distinct)
    groups = _rates(exponent, count, asked.requests)
    seen = _seen(groups)
    found = -(off**2) / 2 - (seen - distinct) ** 2 / (2 * asked.distinct)
    falling = [-group.rate for group in groups]
    for often, times in asked.counts.items():
        found += times * (_log_so_often(often, groups, falling) - math.log(seen))
    return found, count


def _log_so_often(count: int, groups: list[_Group], falling: Sequence[float]) -> float:
    """How many numbers come so often, by Poisson's law for each: those of a rate near to it, or the nearest.

    ``falling``: the groups' rates below zero, so that they rise."""
    far = _FAR * math.sqrt(count)
    known = _log_factorial(count)
    nearest = bisect_left(falling, -count)
    first = bisect_left(falling, -count - far)
    last = bisect_left(falling, far - count)
    near = groups[min(first, max(0, nearest - 1)) : max(last, nearest + 1)]
    logarithms = [math.log(size) + count * math.log(rate) - rate - known for rate, size in near]
    most = max(logarithms)
    return most + math.log(sum(math.exp(logarithm - most) for logarithm in logarithms))


def _log_factorial(count: int) -> float:
    """By Stirling's series from ten on."""
    if count < 10:
        return math.log(math.factorial(count))
    return (
        (count + 0.5) * math.log(count) - count + 0.5 * math.log(2 * math.pi) + 1 / (12 * count) - 1 / (360 * count**3)
    )
