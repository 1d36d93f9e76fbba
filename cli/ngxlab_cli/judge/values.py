"""Read a CSV file of measured values. Every mistake is named with its line."""

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TextIO

from ngxlab_cli.errors import UsageError

COLUMNS = ("arm", "block", "metric", "value")
Cell = tuple[str, str, str]
"""(metric, arm, block)"""


@dataclass
class Values:
    """Of one experiment; ``lines`` says where each cell was read."""

    cells: dict[Cell, float] = field(default_factory=dict)
    lines: dict[Cell, int] = field(default_factory=dict)


class _Rows(Protocol):
    """What ``csv.reader`` returns."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


class _Columns(NamedTuple):
    experiment: int | None
    arm: int
    block: int
    metric: int
    value: int


def read_values(source: TextIO, name: str) -> dict[str | None, Values]:
    """By experiment, in the order of the file; the key is ``None`` without that column. Raises UsageError."""
    experiments: dict[str | None, Values] = {}
    rows = csv.reader(source)
    try:
        columns = _columns(next(rows, []), name)
        for line, row in _lines(rows, columns, name):
            key = row[columns.experiment].strip() if columns.experiment is not None else None
            _add(experiments.setdefault(key, Values()), row, columns, f"{name}, line {line}", line)
    except (csv.Error, UnicodeDecodeError) as error:
        raise UsageError(f"{name}, line {rows.line_num + 1}: not a CSV file in UTF-8: {error}") from None
    if not experiments:
        raise UsageError(f"{name} has no values")
    return experiments


def _columns(header: list[str], name: str) -> _Columns:
    names = [title.strip().lower() for title in header]
    missing = [column for column in COLUMNS if column not in names]
    if missing:
        wanted = "experiment (optional), arm, block, metric, value"
        raise UsageError(f"{name}, line 1: no column {', '.join(missing)}; the header must name {wanted}")
    twice = [column for column in ("experiment", *COLUMNS) if names.count(column) > 1]
    if twice:
        raise UsageError(f"{name}, line 1: column {twice[0]} occurs twice")
    experiment = names.index("experiment") if "experiment" in names else None
    return _Columns(experiment, *(names.index(column) for column in COLUMNS))


def _lines(rows: _Rows, columns: _Columns, name: str) -> Iterator[tuple[int, list[str]]]:
    last = max(column for column in columns if column is not None)
    for row in rows:
        if not row or not any(cell.strip() for cell in row):
            continue
        if len(row) <= last:
            raise UsageError(f"{name}, line {rows.line_num}: {len(row)} columns, fewer than the header has")
        yield rows.line_num, row


def _add(values: Values, row: list[str], columns: _Columns, place: str, line: int) -> None:
    metric, arm, block = cell = (row[columns.metric].strip(), row[columns.arm].strip(), row[columns.block].strip())
    for text, column in ((metric, "metric"), (arm, "arm"), (block, "block")):
        if not text:
            raise UsageError(f"{place}: {column} is empty")
    if cell in values.cells:
        raise UsageError(
            f"{place}: arm {arm}, block {block}, metric {metric} has a value already, in line {values.lines[cell]}"
        )
    values.cells[cell], values.lines[cell] = _number(row[columns.value].strip(), place), line


def _number(text: str, place: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise UsageError(f"{place}: value {text!r} is not a number") from None
    if not math.isfinite(number):
        raise UsageError(f"{place}: value {text!r} is not a finite number; leave out a line without a value")
    return number
