"""The version of the method by which runs are judged: whatever changes a verdict makes a new one (``method.toml``).

A test holds judgements of example runs to the version (``backend/tests/analysis/test_method.py``).
"""

import tomllib
from datetime import date
from pathlib import Path
from typing import NamedTuple


class Version(NamedTuple):
    """``what``: what has changed since the version before it."""

    number: int
    date: date
    what: str


VERSIONS = [
    Version(**declared)
    for declared in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["versions"]
]
METHOD = VERSIONS[-1].number
UNCOUNTED = 0
"""The method of what was judged before versions were counted."""
