"""wrk 4.1, and wrk2, which shares its output: what they print. wrk2 at 44a94c1."""

import re

from ngxlab_cli.results.measured import (
    CLOSED,
    ERRORS,
    MEAN,
    REQUESTS,
    Measured,
    NotItsResult,
    errors_percent,
    percentile,
)

_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4, "h": 3.6e6}
_TIME = r"([\d.]+)(us|ms|s|m|h)"
_LATENCY = re.compile(rf"^\s+Latency\s+{_TIME}\s", re.MULTILINE)
_PERCENTILE = re.compile(rf"^\s*([\d.]+)%\s+{_TIME}\s*$", re.MULTILINE)
_RATE = re.compile(r"^Requests/sec:\s+([\d.]+)\s*$", re.MULTILINE)
_REQUESTS = re.compile(r"^\s*(\d+) requests in ", re.MULTILINE)
_SOCKETS = re.compile(r"^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", re.MULTILINE)
_STATUS = re.compile(r"^\s*Non-2xx or 3xx responses: (\d+)", re.MULTILINE)
_CORRECTED = "Latency Distribution (HdrHistogram"


def wrk(text: str) -> Measured:
    """Raises ``NotItsResult``."""
    if _CORRECTED in text:
        raise NotItsResult("wrk2 printed it: say --from wrk2")
    return _read(text, open_loop=False)


def wrk2(text: str) -> Measured:
    """Raises ``NotItsResult``."""
    if "Latency Distribution" in text and _CORRECTED not in text:
        raise NotItsResult("wrk printed it: say --from wrk")
    return _read(text, open_loop=True)


def _read(text: str, *, open_loop: bool) -> Measured:
    rate, requests, latency = _RATE.search(text), _REQUESTS.search(text), _LATENCY.search(text)
    if rate is None or requests is None or latency is None:
        raise NotItsResult("it has no line Requests/sec, or no Latency")
    status, sockets = _STATUS.search(text), _SOCKETS.search(text)
    broken = sum(map(int, sockets.groups())) if sockets else 0
    failed = (int(status[1]) if status else 0) + broken
    values = {REQUESTS: float(rate[1]), MEAN: float(latency[1]) * _MS[latency[2]]}
    found = {float(p): float(value) * _MS[unit] for p, value, unit in _PERCENTILE.findall(text)}
    values |= {percentile(p): value for p, value in found.items() if p < 100}
    values[ERRORS] = errors_percent(failed, int(requests[1]) + broken)
    lacks = [] if open_loop else [CLOSED]
    if not found:
        lacks.append("Percentiles of latency: they are printed with --latency only.")
    return Measured(values, lacks, is_open=open_loop)
