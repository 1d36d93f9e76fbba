"""h2load of nghttp2 1.52: what it prints. A table with percentiles is read by its head."""

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

_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}
_RATE = re.compile(r"^finished in [\d.]+\w+, ([\d.]+) req/s", re.MULTILINE)
_REQUESTS = re.compile(r"^requests: (\d+) total, .* (\d+) done, (\d+) succeeded, (\d+) failed", re.MULTILINE)
_HEAD = re.compile(r"^\s+(min\s+max\s+.*)$", re.MULTILINE)
_LATENCY = re.compile(r"^(?:time for request|request)\s*:\s+(.*)$", re.MULTILINE)
_TIME = re.compile(r"([\d.]+)(us|ms|s)")


def h2load(text: str) -> Measured:
    """Raises ``NotItsResult``."""
    rate, requests = _RATE.search(text), _REQUESTS.search(text)
    head, latency = _HEAD.search(text), _LATENCY.search(text)
    if rate is None or requests is None or head is None or latency is None:
        raise NotItsResult("it has no line `finished in`, `requests` or `time for request`")
    columns = dict(zip(head[1].replace("+/- sd", "within").split(), latency[1].split(), strict=False))
    values = {REQUESTS: float(rate[1]), MEAN: _ms(columns.get("mean", ""))}
    names = {"median": 50.0} | {name: float(name[1:]) for name in columns if re.fullmatch(r"p[\d.]+", name)}
    found = {percentile(p): _ms(columns[name]) for name, p in names.items() if name in columns}
    values |= found
    values[ERRORS] = errors_percent(int(requests[4]), int(requests[1]))
    lacks = [CLOSED]
    if not found:
        lacks.append("Percentiles of latency: this h2load prints none.")
    return Measured(values, lacks)


def _ms(text: str) -> float:
    if (found := _TIME.fullmatch(text)) is None:
        raise NotItsResult("its time for request is none")
    return float(found[1]) * _MS[found[2]]
