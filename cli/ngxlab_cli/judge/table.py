"""The file of measured values."""

import csv
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple, TextIO

import numpy as np
from ngxlab_verdict import Experiment

from ngxlab_cli.errors import UsageError

COLUMNS = ("arm", "block", "metric", "value")
SEPARATORS = ",;\t"
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_POINT = "write a decimal point, and nothing between thousands: 1234.5"
_LARGEST = 1e100
"""Squares of greater numbers have no place in a float."""
Cell = tuple[str, str, str]
"""(metric, arm, block)"""


class Value(NamedTuple):
    number: float
    line: int


@dataclass
class Values:
    """The values of one experiment. ``levels``: those of each arm by factor, with the line that has them first."""

    cells: dict[Cell, Value] = field(default_factory=dict)
    levels: dict[str, tuple[dict[str, str], int]] = field(default_factory=dict)

    def names(self, position: int) -> list[str]:
        """The metrics (0), arms (1) or blocks (2) in the order of their first appearance."""
        return list(dict.fromkeys(cell[position] for cell in self.cells))

    def has_levels(self) -> bool:
        return any(levels for levels, _ in self.levels.values())

    def experiment(self, baseline: str, primary: Iterable[str]) -> Experiment:
        metrics = list(dict.fromkeys([*self.names(0), *primary]))
        arms = [baseline, *(arm for arm in self.names(1) if arm != baseline)]
        places = [{name: index for index, name in enumerate(names)} for names in (metrics, arms, self.names(2))]
        table = np.full(tuple(len(names) for names in places), np.nan)
        indices = tuple([names[cell[axis]] for cell in self.cells] for axis, names in enumerate(places))
        table[indices] = [value.number for value in self.cells.values()]
        return Experiment(arms, metrics, table)


def read_values(source: TextIO, name: str, factors: Sequence[str] = ()) -> dict[str | None, Values]:
    """Values by experiment, in the order of the file; the key is ``None`` without that column. Raises UsageError.

    ``factors``: the columns that have the level of each factor. Without a column ``arm``, levels name the arms.
    """
    experiments: dict[str | None, Values] = {}
    first = source.readline().removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")  # a BOM, of spreadsheets
    separator = max(SEPARATORS, key=first.count)
    rows = csv.reader(chain([first], source), delimiter=separator)
    try:
        header = _header(next(rows, []), name, factors)
        wanted = ("experiment", *COLUMNS, *factors)
        last = max(header.index(column) for column in wanted if column in header)
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) <= last:
                raise UsageError(f"{name}, line {rows.line_num}: {len(row)} columns, fewer than the header has")
            if len(row) > len(header):
                hint = f"; if it has numbers like 3,95: {_POINT}" if separator == "," else ""
                raise UsageError(f"{name}, line {rows.line_num}: {len(row)} columns, more than the header has{hint}")
            named = dict(zip(header, map(str.strip, row), strict=False))
            _add(experiments.setdefault(named.get("experiment"), Values()), named, factors, name, rows.line_num)
    except (csv.Error, UnicodeDecodeError) as error:
        raise UsageError(f"{name}, line {rows.line_num + 1}: not a CSV file in UTF-8: {error}") from None
    if not experiments:
        raise UsageError(f"{name} has no values")
    return experiments


def _header(titles: list[str], name: str, factors: Sequence[str]) -> list[str]:
    """Columns of factors keep their spelling; all others are read in small letters."""
    names = [title if title in factors else title.lower() for title in map(str.strip, titles)]
    if missing := [factor for factor in factors if factor not in names]:
        raise UsageError(f"--factor {missing[0]}: {name} has no such column; it has {', '.join(names)}")
    missing = [column for column in COLUMNS if column not in names and not (column == "arm" and factors)]
    if missing:
        wanted = "experiment (optional), arm, block, metric, value"
        raise UsageError(f"{name}, line 1: no column {', '.join(missing)}; the header must name {wanted}")
    twice = [column for column in ("experiment", *COLUMNS, *factors) if names.count(column) > 1]
    if twice:
        raise UsageError(f"{name}, line 1: column {twice[0]} occurs twice")
    return names


def _add(values: Values, named: Mapping[str, str], factors: Sequence[str], name: str, line: int) -> None:
    place = f"{name}, line {line}"
    levels = {factor: named[factor] for factor in factors}
    arm = named.get("arm", ".".join(levels.values()))
    for column, cell in {"metric": named["metric"], "arm": arm, "block": named["block"], **levels}.items():
        if not cell:
            raise UsageError(f"{place}: {column} is empty")
    known, first = values.levels.setdefault(arm, (levels, line))
    if different := [factor for factor in factors if known[factor] != levels[factor]]:
        was = f"{known[different[0]]} in line {first}"
        raise UsageError(
            f"{place}: arm {arm} has {different[0]} {levels[different[0]]}, but {was}: an arm has one level"
        )
    cell_ = (named["metric"], arm, named["block"])
    if cell_ in values.cells:
        known_ = f"has a value already, in line {values.cells[cell_].line}"
        raise UsageError(f"{place}: arm {arm}, block {cell_[2]}, metric {cell_[0]} {known_}")
    values.cells[cell_] = Value(_number(named["value"], place), line)


def _number(text: str, place: str) -> float:
    if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        raise UsageError(f"{place}: value {text!r} is not a finite number; leave out a line without a value")
    if not _PLAIN_NUMBER.fullmatch(text):
        raise UsageError(f"{place}: value {text!r} is not a number{f'; {_POINT}' if re.search('[0-9]', text) else ''}")
    if math.fabs(number := float(text)) > _LARGEST:
        raise UsageError(f"{place}: value {text!r} is too large")
    return number
