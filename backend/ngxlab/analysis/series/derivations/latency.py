"""From a stream's histogram intervals: responses per second and latency."""

from collections.abc import Collection, Iterator

from ngxlab_contracts.telemetry import LatencyInterval

from ngxlab.analysis.series.derivations.declaration import series
from ngxlab.analysis.series.derivations.step import Line
from ngxlab.analysis.statistics.histograms import MIN_COUNT_FOR_P999, Histogram

SERIES = (
    series(
        "requests_per_s",
        order=0,
        title="Requests per second",
        unit="requests/s",
        direction="more_is_better",
        stacked=True,
        of_streams=True,
        description="Requests served in each interval, as the generator counts them. One line for each stream.",
    ),
    series(
        "rejected_per_s",
        order=10,
        title="Rejected requests per second",
        unit="requests/s",
        stacked=True,
        description="Responses in each interval whose status serves nobody, such as 429. They are in no other rate or "
        "latency.",
    ),
    series(
        "latency_ms",
        order=20,
        title="Latency",
        unit="ms",
        direction="less_is_better",
        of_streams=True,
        description="Percentiles of the requests served in each interval: for wrk the service time under its closed "
        "loop, for an open loop the time from the instant at which the request was due. p99.9 needs 10,000 "
        "responses.",
    ),
    series(
        "rejected_ms",
        order=30,
        title="Latency of rejected requests",
        unit="ms",
        description="Percentiles of the responses whose status serves nobody. wrk cannot tell them from the others.",
    ),
    series(
        "service_ms",
        order=40,
        title="Service time",
        unit="ms",
        direction="less_is_better",
        of_streams=True,
        description="Percentiles of the time from the first write of a request to its response. If it stays low while "
        "latency rises, requests waited for a free connection.",
    ),
    series(
        "schedule_ms",
        order=50,
        title="Lateness of the generator",
        unit="ms",
        direction="less_is_better",
        of_streams=True,
        description="How much later than due the open loop sent requests although a connection was free.",
    ),
    series(
        "request_time_ms",
        order=60,
        title="Request time, logged by nginx",
        unit="ms",
        direction="less_is_better",
        description="Percentiles of nginx's own $request_time: from the first byte read of a request to the last byte "
        "sent of its response, in whole milliseconds.",
    ),
    series(
        "upstream_time_ms",
        order=70,
        title="Upstream time, logged by nginx",
        unit="ms",
        direction="less_is_better",
        description="Percentiles of nginx's own $upstream_response_time, in whole milliseconds.",
    ),
)
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
    if keys is not None and times not in keys:
        return  # a histogram is costly to read
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
