"""From a stream's histogram intervals: responses per second and latency."""

from collections.abc import Collection, Iterator

from ngxlab_contracts.telemetry import LatencyInterval

from ngxlab.analysis.series.derivations.declaration import series
from ngxlab.analysis.series.derivations.step import Line
from ngxlab.analysis.statistics.histograms import MIN_COUNT_FOR_P999, Histogram

_TIMES = ("latency_ms", "rejected_ms", "service_ms", "schedule_ms", "request_time_ms", "upstream_time_ms")
SERIES = tuple(series(key) for key in ("requests_per_s", "rejected_per_s", *_TIMES))
KEYS = frozenset(one.info.key for one in SERIES)
"""Series derived from intervals; all others are derived from frames."""
_RATES = {"latency": "requests_per_s", "rejected": "rejected_per_s"}

NGINX_STREAM = "nginx"
"""The stream whose ``request_time`` and ``upstream_time`` come from nginx's own log."""

_PERCENTILES = (("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999))
_FRACTIONS = [fraction for _, fraction in _PERCENTILES]


def from_interval(
    interval: LatencyInterval, *, single_stream: bool, keys: Collection[str] | None = None
) -> Iterator[Line]:
    """Labels are ``p50`` … with a single stream, ``STREAM p50`` … with several. Only lines of ``keys``, if given."""
    seconds = (interval.t1_us - interval.t0_us) / 1e6
    rate, times = _RATES.get(interval.quantity), f"{interval.quantity}_ms"
    if seconds > 0 and rate is not None and (keys is None or rate in keys):
        yield Line(rate, interval.stream, interval.count / seconds)
    if times not in KEYS or (keys is not None and times not in keys):
        return  # no chart shows it, and a histogram is costly to read
    if interval.quantity != "latency":
        yield from _other_quantity(interval)
        return
    if seconds <= 0:
        return
    for name, value in _percentiles_ms(interval):
        yield Line("latency_ms", name if single_stream else f"{interval.stream} {name}", value)


def _other_quantity(interval: LatencyInterval) -> Iterator[Line]:
    series = f"{interval.quantity}_ms"
    for name, value in _percentiles_ms(interval):
        yield Line(series, name if interval.stream == NGINX_STREAM else f"{interval.stream} {name}", value)


def _percentiles_ms(interval: LatencyInterval) -> Iterator[tuple[str, float | None]]:
    histogram = Histogram.decode(interval.histogram) if interval.histogram and interval.count else None
    values = histogram.values_at(_FRACTIONS) if histogram is not None else [None] * len(_FRACTIONS)
    for (name, fraction), value in zip(_PERCENTILES, values, strict=True):
        enough = value is not None and (fraction < 0.999 or interval.count >= MIN_COUNT_FOR_P999)
        yield name, value / 1000 if enough and value is not None else None
