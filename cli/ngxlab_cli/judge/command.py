"""Judge each experiment of a file and print what may be claimed."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from ngxlab_verdict import Claim, Experiment, MetricRule, Question, judge

from ngxlab_cli.errors import Exit, UsageError
from ngxlab_cli.judge.text import experiment_text
from ngxlab_cli.judge.values import Values, read_values


def judge_file(arguments: argparse.Namespace) -> Exit:
    name = "standard input" if arguments.file == "-" else arguments.file
    if not 0 <= arguments.margin < 1:
        raise UsageError(f"--margin {arguments.margin:g}: must be a share from 0 to below 1, such as 0.02 for 2 %")
    experiments = _read(arguments.file, name)
    baseline = _baseline(arguments.baseline, experiments, name)
    question = _question(arguments, experiments, name)
    for key, values in experiments.items():
        experiment = _experiment(values, baseline, question.primary or ())
        claims = judge(experiment, question)
        if arguments.json:
            document = {"experiment": key, "claims": [_document(claim) for claim in claims]}
            sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
        else:
            sys.stdout.write(experiment_text(key, baseline, claims) + "\n")
    return Exit.OK


def _read(file: str, name: str) -> dict[str | None, Values]:
    if file == "-":
        return read_values(sys.stdin, name)
    try:
        with Path(file).open(encoding="utf-8-sig", newline="") as source:
            return read_values(source, name)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None


def _baseline(wanted: str | None, experiments: Mapping[str | None, Values], name: str) -> str:
    """The arm that all others are compared with: every experiment must have it."""
    arms = {key: _names(values, 1) for key, values in experiments.items()}
    baseline = wanted if wanted is not None else next(iter(arms.values()))[0]
    for key, present in arms.items():
        if baseline not in present:
            where = f"experiment {key} of {name}" if key is not None else name
            what = f"--baseline {baseline}" if wanted is not None else f"the baseline {baseline} (the file's first arm)"
            raise UsageError(f"{what}: {where} has no such arm; it has {', '.join(present)}")
    return baseline


def _question(arguments: argparse.Namespace, experiments: Mapping[str | None, Values], name: str) -> Question:
    metrics = list(dict.fromkeys(metric for values in experiments.values() for metric in _names(values, 0)))
    primary: list[str] | None = arguments.primary
    for option, wanted in (("--primary", primary or []), ("--lower-is-better", arguments.lower_is_better)):
        for metric in wanted:
            if metric not in metrics:
                raise UsageError(f"{option} {metric}: {name} has no such metric; it has {', '.join(metrics)}")
    twice = [metric for metric in primary or [] if (primary or []).count(metric) > 1]
    if twice:
        raise UsageError(f"--primary {twice[0]}: given twice")
    rules = {metric: MetricRule("less_is_better") for metric in arguments.lower_is_better}
    return Question(primary=primary, rules=rules, margin=arguments.margin)


def _names(values: Values, position: int) -> list[str]:
    """The metrics (0), arms (1) or blocks (2) in the order of their first appearance."""
    return list(dict.fromkeys(cell[position] for cell in values.cells))


def _experiment(values: Values, baseline: str, primary: Iterable[str]) -> Experiment:
    metrics = list(dict.fromkeys([*_names(values, 0), *primary]))
    arms = [baseline, *(arm for arm in _names(values, 1) if arm != baseline)]
    places = [{name: index for index, name in enumerate(names)} for names in (metrics, arms, _names(values, 2))]
    table = np.full(tuple(len(names) for names in places), np.nan)
    table[_indices(values, places)] = list(values.cells.values())
    return Experiment(arms, metrics, table)


def _indices(values: Values, places: Sequence[Mapping[str, int]]) -> tuple[list[int], ...]:
    return tuple([names[cell[axis]] for cell in values.cells] for axis, names in enumerate(places))


def _document(claim: Claim) -> dict[str, Any]:
    document = {
        "arm": claim.arm,
        "metric": claim.metric,
        "family": claim.family,
        "verdict": claim.verdict,
        "ratio": claim.estimate,
        "low": claim.low,
        "high": claim.high,
        "pairs": claim.pairs,
    }
    return document | ({"reason": claim.reason} if claim.reason else {})
