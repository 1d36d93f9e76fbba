"""The long table as CSV (RFC 4180), with a line of column names."""

import csv
import io
from collections.abc import Iterable

from ngxlab.exports.rows import Row

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBERS = frozenset({"block", "t_s", "value", "low", "high"})
HEADER = ",".join(Row._fields) + "\r\n"


def csv_lines(rows: Iterable[Row]) -> str:
    """A spreadsheet must not take a text for a formula, so such a cell begins with an apostrophe."""
    lines = io.StringIO()
    csv.writer(lines).writerows([_cell(name, value) for name, value in row._asdict().items()] for row in rows)
    return lines.getvalue()


def _cell(name: str, value: str | float | None) -> str | float | None:
    is_formula = name not in _NUMBERS and isinstance(value, str) and value.startswith(_FORMULA)
    return f"'{value}" if is_formula else value
