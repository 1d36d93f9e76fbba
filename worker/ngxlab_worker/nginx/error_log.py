"""Warnings in nginx's error log that make a measurement doubtful (validity check 9)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PATTERNS = (
    ("nginx-connections-reused", re.compile(r"reusing connections")),
    ("nginx-worker-connections", re.compile(r"worker_connections are not enough|exceed open file resource limit")),
    ("nginx-queue-overflow", re.compile(r"queue overflow")),
    ("nginx-no-live-upstreams", re.compile(r"no live upstreams")),
    ("nginx-crit", re.compile(r"\[(?:crit|emerg)\]")),
    ("nginx-alert", re.compile(r"\[alert\]")),
)
LONGEST_LINE = 500


@dataclass(frozen=True)
class LogFinding:
    """``count`` lines of one kind, the first of them kept as an example."""

    code: str
    count: int
    example: str


def scan_error_log(lines: Iterable[str]) -> list[LogFinding]:
    """Each line counts once, for the first kind that it fits."""
    counts: dict[str, int] = {}
    examples: dict[str, str] = {}
    for line in lines:
        code = next((code for code, pattern in _PATTERNS if pattern.search(line)), None)
        if code is not None:
            counts[code] = counts.get(code, 0) + 1
            examples.setdefault(code, line.strip()[:LONGEST_LINE])
    return [LogFinding(code, count, examples[code]) for code, count in counts.items()]
