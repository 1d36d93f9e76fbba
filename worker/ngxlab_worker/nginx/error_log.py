"""What nginx's error log says: warnings that make a measurement doubtful (docs/checks.md), and temporary files.

The whole log is read block by block. Most blocks hold none of the searched texts and are not split into lines.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ngxlab_worker.core.files import open_regular

_KINDS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("nginx-connections-reused", (b"reusing connections",)),
    ("nginx-worker-connections", (b"worker_connections are not enough", b"exceed open file resource limit")),
    ("nginx-queue-overflow", (b"queue overflow",)),
    ("nginx-no-live-upstreams", (b"no live upstreams",)),
    ("nginx-crit", (b"[crit]", b"[emerg]")),
    ("nginx-alert", (b"[alert]",)),
)
_REQUEST_FILE = b"a client request body is buffered to a temporary file"
_RESPONSE_FILE = b"an upstream response is buffered to a temporary file"
_HANDSHAKE = b" while SSL handshaking, client"
_REASON = re.compile(rb"SSL: error:[^):]*:[^):]*:[^):]*:([^):]+)")
_LONGEST_REASON = 200
_MOST_REASONS = 20
_EVERY_MESSAGE = frozenset({"nginx-crit", "nginx-alert"})
"""Kinds of which each different message is a finding of its own: one that is expected must not hide another."""
_SEVERITY_AND_PROCESS = re.compile(rb"^.*?\[[a-z]+\] \d+#\d+: (?:\*\d+ )?")
_NUMBERS = re.compile(rb"\d+")
_SIGNAL = re.compile(rb"exited on signal \d+")
MOST_MESSAGES = 20
LONGEST_LINE = 500
BLOCK = 1 << 20


@dataclass(frozen=True)
class LogFinding:
    """``count`` lines of one kind, or of one message of it, with the first of them as an example."""

    code: str
    count: int
    example: str


@dataclass(frozen=True)
class ErrorLog:
    """``request_files`` and ``response_files``: how many bodies went to a temporary file according to the log."""

    findings: list[LogFinding]
    request_files: int
    response_files: int
    size_bytes: int
    handshakes: Counter[str] = field(default_factory=Counter)
    """Clients' TLS handshakes that failed, by OpenSSL's reason; without a reason where the client closed."""


def scan_error_log(path: Path, block_bytes: int = BLOCK) -> ErrorLog:
    """Each line is counted once, for the first kind that matches. A missing log is empty."""
    counts: dict[tuple[str, bytes], int] = {}
    examples: dict[tuple[str, bytes], str] = {}
    request_files = response_files = size = 0
    handshakes: Counter[str] = Counter()
    for block in _blocks(path, block_bytes):
        size += len(block)
        request_files += block.count(_REQUEST_FILE)
        response_files += block.count(_RESPONSE_FILE)
        handshakes.update(_failed_handshakes(block))
        for code, line in _matching_lines(block):
            finding = (code, _message(line) if code in _EVERY_MESSAGE else b"")
            if finding not in counts and len(counts) >= MOST_MESSAGES:
                finding = (code, b"")
            counts[finding] = counts.get(finding, 0) + 1
            examples.setdefault(finding, line.decode(errors="replace").strip()[:LONGEST_LINE])
    findings = [LogFinding(finding[0], count, examples[finding]) for finding, count in counts.items()]
    reasons = Counter(dict(handshakes.most_common(_MOST_REASONS)))
    return ErrorLog(findings, request_files, response_files, size, reasons)


def _failed_handshakes(block: bytes) -> Iterator[str]:
    if _HANDSHAKE not in block:
        return
    for line in block.splitlines():
        if _HANDSHAKE in line:
            reason = _REASON.search(line)
            yield reason[1].decode(errors="replace")[:_LONGEST_REASON] if reason is not None else ""


def _message(line: bytes) -> bytes:
    """What is said, without time, process and other numbers; but with the number of a signal, which is its reason."""
    said = _SEVERITY_AND_PROCESS.sub(b"", line)[:LONGEST_LINE]
    signal = _SIGNAL.search(said)
    return _NUMBERS.sub(b"N", said) + (signal[0] if signal is not None else b"")


def _blocks(path: Path, block_bytes: int) -> Iterator[bytes]:
    """Blocks of whole lines; the last line need not be terminated."""
    try:
        file = os.fdopen(open_regular(path, os.O_RDONLY), "rb")
    except FileNotFoundError:
        return
    with file:
        while block := file.read(block_bytes):
            yield block + file.readline()


def _matching_lines(block: bytes) -> Iterator[tuple[str, bytes]]:
    present = [(code, mark) for code, marks in _KINDS for mark in marks if mark in block]
    if not present:
        return
    for line in block.splitlines():
        code = next((code for code, mark in present if mark in line), None)
        if code is not None:
            yield code, line
