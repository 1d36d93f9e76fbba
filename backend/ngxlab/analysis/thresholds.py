"""The grammar of thresholds: what makes a run pass or fail.

``METRIC [ratio] OPERATOR NUMBER [for ARM]``, for instance ``p99_ms < 20``, ``requests_per_s ratio > 0.98`` or
``errors_percent <= 0 for threads.32``. With ``ratio`` the arm's value is divided by the baseline's. A threshold
without an arm is for every arm; with ``ratio`` for every arm except the baseline.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from ngxlab_contracts.sentences import Sentence, listed, say

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
METRICS = (
    "requests_per_s",
    "capacity_per_s",
    "plateau_per_s",
    "p50_ms",
    "p90_ms",
    "p99_ms",
    "p999_ms",
    "mean_ms",
    "stdev_ms",
    "max_ms",
    "errors_percent",
    "cpu_cv",
    "connections_cv",
    "cpu_s_per_1000",
)


class ThresholdError(ValueError):
    """The text is not a threshold. ``word`` (from 1) is the first wrong word; ``said``: with what is wrong with it."""

    def __init__(self, word: int, message: Sentence) -> None:
        self.said = say("word {word}: {problem}", word=word, problem=message)
        super().__init__(self.said)
        self.word = word


@dataclass(frozen=True)
class Threshold:
    text: str
    metric: str
    ratio: bool
    operator: str
    limit: float
    arm: str | None


def parse(text: str) -> Threshold:
    """Raises ThresholdError, which names the wrong word."""
    words = text.split()
    given = iter(enumerate([*words, ""], start=1))
    at, metric = next(given)
    if metric not in METRICS:
        raise ThresholdError(at, _unknown_metric(metric))
    at, word = next(given)
    if ratio := word == "ratio":
        at, word = next(given, (at + 1, ""))
    if word not in OPERATORS:
        raise ThresholdError(
            at, say("{word} must be one of {operators}", word=_shown(word), operators=" ".join(OPERATORS))
        )
    at, number = next(given, (at + 1, ""))
    limit = _number(at, number)
    at, preposition = next(given, (at + 1, ""))
    arm = None
    if preposition:
        if preposition != "for":
            message = "{word} is not expected; a threshold ends here, or continues with: for ARM"
            raise ThresholdError(at, say(message, word=_shown(preposition)))
        at, arm = next(given, (at + 1, ""))
        if not arm:
            raise ThresholdError(at, say("'for' must be followed by an arm's key"))
        at, rest = next(given, (at + 1, ""))
        if rest:
            raise ThresholdError(at, say("{word} is not expected after the arm", word=_shown(rest)))
    return Threshold(text, metric, ratio, word, limit, arm)


def _shown(word: str) -> str:
    return f"'{word}'" if word else say("the missing word")


def _unknown_metric(word: str) -> Sentence:
    close = get_close_matches(word, METRICS, n=2)
    hint = say("the metrics are {names}", names=", ".join(METRICS))
    if close:
        hint = say("did you mean {names}?", names=listed(close, " or "))
    return say("{word} is not a metric; {hint}", word=_shown(word), hint=hint)


def _number(at: int, word: str) -> float:
    try:
        limit = float(word)
    except ValueError:
        raise ThresholdError(at, say("{word} must be a number", word=_shown(word))) from None
    if limit != limit or limit in {float("inf"), float("-inf")}:  # noqa: PLR0124 (only NaN differs from itself)
        raise ThresholdError(at, say("{word} must be a finite number", word=_shown(word)))
    return limit
