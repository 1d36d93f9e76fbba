"""nginx's own times of each request, from its access log (``NginxSpec.request_times``), and its handshakes.

A line is ``$msec $request_time $upstream_response_time $status``: when the request ended, and how long it and its
upstream took, in seconds with exactly three decimals. The upstream's time is ``-`` where no upstream was asked. Where
several were tried or redirected to, it is a list (``0.001, 0.002 : 0.003``), which is added up.
Source: ngx_http_log_module, ngx_http_upstream_module.
"""

import os
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ngxlab_worker.core.files import open_regular

_COLUMNS = 4
_BLOCK = 1 << 20
_PARTS = re.compile(rb"(?:[0-9.]+|-)(?:(?:, | : )(?:[0-9.]+|-))+")


class LogError(ValueError):
    """The log does not have the format that the configuration sets."""


@dataclass(frozen=True)
class RequestTimes:
    """Times in the log's order, all int64 (n,): ``ended_ms`` since the epoch, the others durations in milliseconds.
    ``upstream_ms`` is -1 where no upstream was asked."""

    ended_ms: NDArray[np.int64]
    request_ms: NDArray[np.int64]
    upstream_ms: NDArray[np.int64]


def parse_block(block: bytes) -> RequestTimes:
    """Any number of whole lines. Raises ``LogError``."""
    if b", " in block or b" : " in block:
        block = _PARTS.sub(_sum, block)
    # Each has exactly three decimals, so without the point it is a number of milliseconds, which numpy reads faster.
    text = block.replace(b" - ", b" -1 ").replace(b".", b"")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # how numpy reports text that is not a number
        try:
            numbers = np.fromstring(text, dtype=np.int64, sep=" ")
        except (DeprecationWarning, ValueError) as error:
            raise LogError(f"the access log holds something that is not a number: {error}") from error
    if numbers.size != _COLUMNS * block.count(b"\n"):
        raise LogError("a line of the access log does not have four columns")
    rows = numbers.reshape(-1, _COLUMNS)
    return RequestTimes(rows[:, 0], rows[:, 1], rows[:, 2])


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
    parts = [part for part in re.split(rb", | : ", times[0]) if part != b"-"]
    return b"%.3f" % sum(map(float, parts)) if parts else b"-"
