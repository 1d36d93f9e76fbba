"""A stream's own record: responses per interval and their latency."""

from collections.abc import Iterator

from ngxlab_contracts.telemetry import LatencyInterval

from ngxlab.analysis.histograms import MIN_COUNT_FOR_P999, Histogram
from ngxlab.metrics.derivations.step import Line

_PERCENTILES = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999))


def from_interval(interval: LatencyInterval, *, single_stream: bool) -> Iterator[Line]:
    """Labels are ``p50`` … with a single stream, ``STREAM p50`` … with several."""
    seconds = (interval.t1_us - interval.t0_us) / 1e6
    if seconds <= 0:
        return
    yield Line("requests_per_s", interval.stream, interval.count / seconds)
    histogram = Histogram.decode(interval.histogram) if interval.histogram and interval.count else None
    for name, fraction in _PERCENTILES:
        enough = histogram is not None and (fraction < 0.999 or interval.count >= MIN_COUNT_FOR_P999)
        value = histogram.value_at(fraction) / 1000 if enough and histogram is not None else None
        yield Line("latency_ms", name if single_stream else f"{interval.stream} {name}", value)
