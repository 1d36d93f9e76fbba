"""What one file of another tool says, in the metrics that are judged."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

REQUESTS, MEAN, ERRORS, TIME = "requests_per_s", "latency_mean_ms", "errors_percent", "time_s"
ERRORS_MARGIN = 0.1
"""A difference of errors that does not matter, in points."""
CLOSED = (
    "The load waits for an answer before it asks again (a closed loop), so latencies leave out the time that requests "
    "would have waited: they can be compared only where the arms' rates are alike."
)


class NotItsResult(ValueError):
    """The file is none of the tool's."""


def percentile(p: float) -> str:
    """The metric of a percentile: ``latency_p99_9_ms``."""
    return f"latency_p{f'{p:.10g}'.replace('.', '_')}_ms"


@dataclass(frozen=True)
class Measured:
    """``lacks``: what cannot be judged, in sentences. ``is_open``: requests came at a rate that the tool was told.
    ``arm``: of a file that has several. ``repeats``: the values of each repetition, where the file has them.
    ``started``: when, where the file says so."""

    values: Mapping[str, float]
    lacks: Sequence[str] = ()
    is_open: bool = False
    arm: str | None = None
    repeats: Sequence[Mapping[str, float]] = field(default=())
    started: datetime | None = None


def document_of(text: str) -> dict[str, Any]:
    """Raises ``NotItsResult``."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise NotItsResult(f"it is no JSON document: {error}") from error
    if not isinstance(document, dict):
        raise NotItsResult("it is no JSON object")
    return document


def number(document: Any, *path: str | int) -> float:
    """Raises ``NotItsResult`` where there is none."""
    found = document
    for name in path:
        try:
            found = found[name]
        except (KeyError, IndexError, TypeError) as error:
            raise NotItsResult(f"it has no {'.'.join(map(str, path))}") from error
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        raise NotItsResult(f"its {'.'.join(map(str, path))} is no number")
    return float(found)


def errors_percent(failed: float, all_of_them: float) -> float:
    return 100 * failed / all_of_them if all_of_them > 0 else 0.0


def instant(text: Any) -> datetime | None:
    """A time as Go writes it; nanoseconds are cut. ``None`` where it is none, or has no zone."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
