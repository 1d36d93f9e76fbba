"""What is asked of the values: the options of the command."""

import argparse
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ngxlab_verdict import Course, MetricRule, Question
from ngxlab_verdict.experiment import DEFAULT_MARGIN
from ngxlab_verdict.words import Direction

from ngxlab_cli.errors import UsageError
from ngxlab_cli.judge.table import Values


def baseline_of(wanted: str | None, experiments: Mapping[str | None, Values], name: str) -> str:
    """The arm that all others are compared with: every experiment must have it. Raises UsageError."""
    arms = {key: values.names(1) for key, values in experiments.items()}
    baseline = wanted if wanted is not None else next(iter(arms.values()))[0]
    for key, present in arms.items():
        if baseline not in present:
            where = f"experiment {key} of {name}" if key is not None else name
            what = f"--baseline {baseline}" if wanted is not None else f"the baseline {baseline} (the file's first arm)"
            raise UsageError(f"{what}: {where} has no such arm; it has {', '.join(present)}")
    return baseline


class _Given(NamedTuple):
    """Options that name a metric, by metric."""

    margins: Mapping[str, float]
    differences: Mapping[str, float]
    ranges: Mapping[str, tuple[float, float]]


def question_of(arguments: argparse.Namespace, metrics: Sequence[str], name: str) -> Question:
    """``metrics``: those of the file. Raises UsageError."""
    given = _Given(
        _by_metric("--margin", [one for one in arguments.margin if "=" in one]),
        _by_metric("--difference", arguments.difference),
        {metric: _range(text) for metric, text in _pairs("--range", arguments.range).items()},
    )
    _require_known(arguments, given, metrics, name)
    _require_consistent(arguments, given)
    rules = {metric: _rule(metric, arguments, given) for metric in metrics}
    return Question(arguments.primary, rules, _general_margin(arguments.margin))


def _rule(metric: str, arguments: argparse.Namespace, given: _Given) -> MetricRule:
    direction: Direction = "more_is_better"
    if metric in arguments.lower_is_better or metric in arguments.neutral:
        direction = "neutral" if metric in arguments.neutral else "less_is_better"
    if metric in given.differences:
        lowest, highest = given.ranges.get(metric, (-math.inf, math.inf))
        return MetricRule(direction, "difference", given.differences[metric], lowest, highest)
    margin = given.margins.get(metric)
    return MetricRule(direction, margin=None if margin is None else _share(margin))


def _require_known(arguments: argparse.Namespace, given: _Given, metrics: Sequence[str], name: str) -> None:
    named: Mapping[str, Iterable[str]] = {
        "--primary": arguments.primary or [],
        "--lower-is-better": arguments.lower_is_better,
        "--neutral": arguments.neutral,
        "--margin": given.margins,
        "--difference": given.differences,
        "--range": given.ranges,
    }
    for option, wanted in named.items():
        for metric in wanted:
            if metric not in metrics:
                raise UsageError(f"{option} {metric}: {name} has no such metric; it has {', '.join(metrics)}")


def _require_consistent(arguments: argparse.Namespace, given: _Given) -> None:
    primary = arguments.primary or []
    if twice := [metric for metric in primary if primary.count(metric) > 1]:
        raise UsageError(f"--primary {twice[0]}: given twice")
    if both := [metric for metric in arguments.neutral if metric in arguments.lower_is_better]:
        raise UsageError(f"--neutral {both[0]}: --lower-is-better says otherwise")
    if stray := [metric for metric in given.ranges if metric not in given.differences]:
        raise UsageError(f"--range {stray[0]}: it limits differences; give --difference {stray[0]}=MARGIN, too")
    if both := [metric for metric in given.margins if metric in given.differences]:
        raise UsageError(f"--margin {both[0]}: --difference has its margin, in its unit")


def with_looks(question: Question, arguments: argparse.Namespace, blocks: int, place: str) -> Question:
    """As reports have it: a run that is read before its planned end is judged so that it may be, at any look."""
    planned = arguments.until or arguments.planned
    if planned is None:
        return question
    option = "--until" if arguments.until else "--planned"
    if planned < 2:
        raise UsageError(f"{option} {planned}: a plan has 2 blocks or more")
    if blocks > planned:
        raise UsageError(f"{option} {planned}: {place} has {blocks} blocks, more than planned")
    (look,) = Course(planned, stops=arguments.until is not None).stages(blocks)
    return replace(question, looks=look.looks, spent=look.spent)


def _general_margin(given: Sequence[str]) -> float:
    general = [one for one in given if "=" not in one]
    if len(general) > 1:
        raise UsageError(f"--margin {general[1]}: given twice; for one metric write --margin METRIC={general[1]}")
    return _share(_number("--margin", general[0])) if general else DEFAULT_MARGIN


def _share(margin: float) -> float:
    if not 0 <= margin < 1:
        raise UsageError(f"--margin {margin:g}: must be a share from 0 to below 1, such as 0.02 for 2 %")
    return margin


def _by_metric(option: str, given: Sequence[str]) -> dict[str, float]:
    numbers = {metric: _number(option, text) for metric, text in _pairs(option, given).items()}
    if negative := [metric for metric, number in numbers.items() if number < 0]:
        raise UsageError(f"{option} {negative[0]}={numbers[negative[0]]:g}: must not be negative")
    return numbers


def _pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    """``METRIC=TEXT``; a metric may have ``=`` in its name."""
    pairs: dict[str, str] = {}
    for one in given:
        metric, sign, text = one.rpartition("=")
        if not sign or not metric:
            raise UsageError(f"{option} {one}: write METRIC=NUMBER")
        if metric in pairs:
            raise UsageError(f"{option} {metric}: given twice")
        pairs[metric] = text
    return pairs


def _range(text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    if not colon:
        raise UsageError(f"--range {text}: write METRIC=LOWEST:HIGHEST, such as errors_percent=0:100")
    ends = _number("--range", low), _number("--range", high)
    if ends[0] >= ends[1]:
        raise UsageError(f"--range {text}: the lowest value must be below the highest")
    return ends


def _number(option: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{option} {text}: not a number")
    return number
