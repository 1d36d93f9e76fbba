"""nginx's own times of each request, from its access log (``NginxSpec.request_times`` and ``phases``), and its
handshakes.

A line is ``TIMES_FORMAT``, with ``NginxSpec.served`` also ``SERVED_FORMAT``: when the request ended, and how long it
and its upstream took, in seconds with exactly three decimals. The upstream's time is ``-`` where no upstream was asked.
Where several were tried or redirected to, it is a list (``0.001, 0.002 : 0.003``), which is added up.
Source: ngx_http_log_module, ngx_http_upstream_module.
"""

import ctypes
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ngxlab_contracts.profiles import PhaseName
from ngxlab_contracts.trials import PHASES_FORMAT, SERVED_FORMAT, TIMES_FORMAT
from numpy.typing import NDArray

from ngxlab_worker.core.files import open_regular

_COLUMNS = TIMES_FORMAT.count("$")
_SERVED_COLUMNS = SERVED_FORMAT.count("$")
_BLOCK = 1 << 20
_PIECE = 4 << 20
_PUNCH_HOLE_KEEP_SIZE = 0x01 | 0x02  # linux/falloc.h

_libc = ctypes.CDLL(None, use_errno=True)
_libc.fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
_PARTS = re.compile(rb"(?:[0-9.]+|-)(?:(?:, | : )(?:[0-9.]+|-|))+")
"""Times of several upstream servers. Of one that was not found, there is nothing between the marks."""


class LogError(ValueError):
    """The log does not have the format that the configuration sets."""


class LogTail:
    """A log that nginx is writing. What has been read is removed from the file, so that it takes no space."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._file: int | None = None
        self._offset = 0

    def new_lines(self) -> Iterator[bytes]:
        """Whole lines that were not read yet, in pieces of some MiB; none while there is no log. Raises ``OSError``,
        also for a link."""
        if self._file is None:
            if not self._log.exists():
                return
            self._file = open_regular(self._log, os.O_RDWR)
        while block := os.pread(self._file, _PIECE, self._offset):
            whole = block[: block.rfind(b"\n") + 1]
            if not whole:
                return
            yield whole
            # Where the file system cannot punch holes, the log only takes more space.
            _libc.fallocate(self._file, _PUNCH_HOLE_KEEP_SIZE, self._offset, len(whole))
            self._offset += len(whole)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


@dataclass(frozen=True)
class RequestTimes:
    """Times in the log's order, all int64 (n,): ``ended_ms`` since the epoch, the others durations in milliseconds.
    ``upstream_ms`` is -1 where no upstream was asked. ``served``: the columns of ``SERVED_FORMAT``, (n, 4), or none,
    (n, 0); the ratio of compression in hundredths, -1 where nothing was compressed."""

    ended_ms: NDArray[np.int64]
    request_ms: NDArray[np.int64]
    upstream_ms: NDArray[np.int64]
    served: NDArray[np.int64]


def parse_block(block: bytes, *, served: bool = False) -> RequestTimes:
    """Any number of whole lines; ``served``: whether they have those columns, too. Raises ``LogError``."""
    if b", " in block or b" : " in block:
        block = _PARTS.sub(_sum, block)
    rows = _numbers(block, _COLUMNS + (_SERVED_COLUMNS if served else 0))
    return RequestTimes(rows[:, 0], rows[:, 1], rows[:, 2], rows[:, _COLUMNS:])


def _numbers(block: bytes, columns: int) -> NDArray[np.int64]:
    """Lines by columns; ``-`` is -1. A time has exactly three decimals, so without the point it is a number of
    milliseconds, which numpy reads faster. Raises ``LogError``."""
    text = block.replace(b" - ", b" -1 ").replace(b" - ", b" -1 ").replace(b".", b"")  # twice: every other overlaps
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # how numpy reports text that is not a number
        try:
            numbers = np.fromstring(text, dtype=np.int64, sep=" ")
        except (DeprecationWarning, ValueError) as error:
            raise LogError(f"the access log holds something that is not a number: {error}") from error
    if numbers.size != columns * block.count(b"\n"):
        raise LogError(f"a line of the access log does not have {columns} columns")
    return numbers.reshape(-1, columns)


@dataclass(frozen=True)
class RequestPhases:
    """``ended_ms`` since the epoch, int64 (n,), and each phase in milliseconds. ``open`` is 0 for all but a
    connection's first request, and is missing where nginx does not tell it. ``write`` may be -1: two clocks."""

    ended_ms: NDArray[np.int64]
    phases: dict[PhaseName, NDArray[np.int64]]


def parse_phases(block: bytes) -> RequestPhases:
    """Any number of whole lines of :data:`PHASES_FORMAT`. Raises ``LogError``."""
    if b", " in block or b" : " in block:
        try:
            block = _LINE_WITH_LISTS.sub(_added_up, block)
        except ValueError as error:
            raise LogError(f"the log of phases has a line that is none: {error}") from error
    ended, request, read, number, connection, connected, header, response, _ = _numbers(block, _PHASE_COLUMNS).T
    response = np.maximum(response, 0)
    # What did not come to its end took all the time there was.
    connected = np.where(connected < 0, response, np.minimum(connected, response))
    header = np.where(header < 0, response, np.clip(header, connected, response))
    read = np.clip(read, 0, request)
    phases: dict[PhaseName, NDArray[np.int64]] = {
        "read": read,
        "connect": connected,
        "first_byte": header - connected,
        "body": response - header,
        "write": request - read - response,
    }
    if not connection.size or connection.max() >= 0:
        opening = np.where(number == 1, np.maximum(connection - request, 0), 0)
        phases = {"open": opening, **phases}
    return RequestPhases(ended, phases)


_PHASE_COLUMNS = PHASES_FORMAT.count("$")
_LINE_WITH_LISTS = re.compile(rb"^.*(?:, | : ).*$", re.MULTILINE)
_BETWEEN = re.compile(rb", | : ")


def _added_up(line: re.Match[bytes]) -> bytes:
    """Of several upstream servers, one after the other: what each took to connect, to answer, and in all."""
    *before, connects, headers, responses, status = _BETWEEN.sub(b";", line[0]).split(b" ")
    connected = answered = whole = 0.0
    for parts in zip(*(column.split(b";") for column in (connects, headers, responses)), strict=False):
        connect, header, response = (float(part) if part not in (b"-", b"") else None for part in parts)
        took = response or 0.0
        connect = min(took if connect is None else connect, took)
        connected += connect
        answered += max(connect, min(took if header is None else header, took)) - connect
        whole += took
    return b" ".join([*before, *(b"%.3f" % one for one in (connected, connected + answered, whole)), status])


def count_handshakes(log: Path) -> tuple[int, int]:
    """Full and resumed ones in a log of ``$ssl_session_reused``, ``.`` or ``r``; none where it is not there."""
    full = resumed = 0
    try:
        file = os.fdopen(open_regular(log, os.O_RDONLY), "rb")
    except FileNotFoundError:
        return 0, 0
    with file:
        while block := file.read(_BLOCK):
            full, resumed = full + block.count(b"."), resumed + block.count(b"r")
    return full, resumed


def _sum(times: re.Match[bytes]) -> bytes:
    parts = [part for part in re.split(rb", | : ", times[0]) if part not in (b"-", b"")]
    return b"%.3f" % sum(map(float, parts)) if parts else b"-"
