"""Judge each experiment of a file and print what may be claimed."""

import argparse
import csv
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
from ngxlab_verdict import Claim, Experiment, MetricRule, Question, judge
from ngxlab_verdict.words import confidence

from ngxlab_cli.errors import Exit, UsageError
from ngxlab_cli.tables import columns

COLUMNS = ("arm", "block", "metric", "value")
SEPARATORS = ",;\t"
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_POINT = "write a decimal point, and nothing between thousands: 1234.5"
Cell = tuple[str, str, str]
"""(metric, arm, block)"""


class Value(NamedTuple):
    number: float
    line: int


Values = dict[Cell, Value]
"""The values of one experiment."""


def read_values(source: TextIO, name: str) -> dict[str | None, Values]:
    """Values by experiment, in the order of the file; the key is ``None`` without that column. Raises UsageError."""
    experiments: dict[str | None, Values] = {}
    first = source.readline().removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")  # a BOM, of spreadsheets
    separator = max(SEPARATORS, key=first.count)
    rows = csv.reader(chain([first], source), delimiter=separator)
    try:
        header = _header(next(rows, []), name)
        last = max(header.index(column) for column in ("experiment", *COLUMNS) if column in header)
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) <= last:
                raise UsageError(f"{name}, line {rows.line_num}: {len(row)} columns, fewer than the header has")
            if len(row) > len(header):
                hint = f"; if it has numbers like 3,95: {_POINT}" if separator == "," else ""
                raise UsageError(f"{name}, line {rows.line_num}: {len(row)} columns, more than the header has{hint}")
            named = dict(zip(header, map(str.strip, row), strict=False))
            _add(experiments.setdefault(named.get("experiment"), {}), named, name, rows.line_num)
    except (csv.Error, UnicodeDecodeError) as error:
        raise UsageError(f"{name}, line {rows.line_num + 1}: not a CSV file in UTF-8: {error}") from None
    if not experiments:
        raise UsageError(f"{name} has no values")
    return experiments


def _header(titles: list[str], name: str) -> list[str]:
    names = [title.strip().lower() for title in titles]
    missing = [column for column in COLUMNS if column not in names]
    if missing:
        wanted = "experiment (optional), arm, block, metric, value"
        raise UsageError(f"{name}, line 1: no column {', '.join(missing)}; the header must name {wanted}")
    twice = [column for column in ("experiment", *COLUMNS) if names.count(column) > 1]
    if twice:
        raise UsageError(f"{name}, line 1: column {twice[0]} occurs twice")
    return names


def _add(values: Values, named: Mapping[str, str], name: str, line: int) -> None:
    place = f"{name}, line {line}"
    for column in ("metric", "arm", "block"):
        if not named[column]:
            raise UsageError(f"{place}: {column} is empty")
    metric, arm, block = cell = (named["metric"], named["arm"], named["block"])
    if cell in values:
        known = f"has a value already, in line {values[cell].line}"
        raise UsageError(f"{place}: arm {arm}, block {block}, metric {metric} {known}")
    values[cell] = Value(_number(named["value"], place), line)


def _number(text: str, place: str) -> float:
    if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        raise UsageError(f"{place}: value {text!r} is not a finite number; leave out a line without a value")
    if not _PLAIN_NUMBER.fullmatch(text):
        raise UsageError(f"{place}: value {text!r} is not a number{f'; {_POINT}' if re.search('[0-9]', text) else ''}")
    if math.isinf(number := float(text)):
        raise UsageError(f"{place}: value {text!r} is too large")
    return number


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
    return list(dict.fromkeys(cell[position] for cell in values))


def _experiment(values: Values, baseline: str, primary: Iterable[str]) -> Experiment:
    metrics = list(dict.fromkeys([*_names(values, 0), *primary]))
    arms = [baseline, *(arm for arm in _names(values, 1) if arm != baseline)]
    places = [{name: index for index, name in enumerate(names)} for names in (metrics, arms, _names(values, 2))]
    table = np.full(tuple(len(names) for names in places), np.nan)
    indices = tuple([names[cell[axis]] for cell in values] for axis, names in enumerate(places))
    table[indices] = [value.number for value in values.values()]
    return Experiment(arms, metrics, table)


def _document(claim: Claim) -> dict[str, Any]:
    document = {name: getattr(claim, name) for name in ("arm", "metric", "family", "verdict")}
    document |= {"ratio": claim.estimate, "low": claim.low, "high": claim.high, "pairs": claim.pairs}
    document["confidence_percent"] = confidence(claim.error)
    return document | ({"reason": claim.reason} if claim.reason else {})


_FACTOR_FROM = 2.0
_MINUS = "\N{MINUS SIGN}"


def experiment_text(name: str | None, baseline: str, claims: Sequence[Claim]) -> str:
    title = f"{name}, against {baseline}" if name else f"against {baseline}"
    if not claims:
        return f"{title}\n  There is no other arm.\n"
    primary = [claim for claim in claims if claim.family == "primary"]
    answers = [_answer(claim) for claim in primary if claim.verdict != "undecided"]
    undecided = sum(claim.verdict == "undecided" for claim in primary)
    if undecided:
        answers.append(f"Undecided: {undecided} of {len(primary)} primary claims.")
    rows = [["arm", "metric", "family", "verdict", "change", "interval", "level", "pairs"]]
    rows += [_row(claim) for claim in claims]
    table = "\n".join(f"  {line}" for line in columns(rows).splitlines())
    reasons = [f"  {claim.arm}, {claim.metric}: {claim.reason}" for claim in claims if claim.reason]
    return "\n".join([title, *(f"  {answer}" for answer in answers), "", table, *reasons, ""])


def _answer(claim: Claim) -> str:
    pairs = f"n = {claim.pairs} pairs"
    figures = f"{change(claim.estimate)} ({_interval(claim)}, {pairs})"
    return f"{claim.arm} is {claim.verdict} in {claim.metric}{_at_least(claim)}: {figures}."


def _at_least(claim: Claim) -> str:
    if not claim.at_least or claim.low is None or claim.high is None:
        return ""
    near = claim.low if claim.low > 1 else claim.high
    return f" by at least {change(near).lstrip(f'+{_MINUS}')}"


def _row(claim: Claim) -> list[str]:
    shown = change(claim.estimate) if claim.estimate is not None else "-"
    interval = _interval(claim) if claim.low is not None else "-"
    level = f"{confidence(claim.error):g} %" if claim.low is not None else "-"
    return [claim.arm, claim.metric, claim.family, claim.verdict, shown, interval, level, str(claim.pairs)]


def _interval(claim: Claim) -> str:
    return f"{change(claim.low, claim.estimate)} to {change(claim.high, claim.estimate)}"


def change(ratio: float | None, of: float | None = None) -> str:
    """``2.4x`` or ``+12 %``; an interval's ends take the scale of their estimate, ``of``."""
    if ratio is None:
        return "-"
    if (of or ratio) >= _FACTOR_FROM:
        return f"{ratio:.3g}x"
    percent = 100 * (ratio - 1)
    digits = 0 if abs(percent) >= 10 else 1
    return f"{percent:+.{digits}f} %".replace("-", _MINUS)
