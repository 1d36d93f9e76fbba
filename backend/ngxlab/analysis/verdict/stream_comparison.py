"""The metrics of each of several streams."""

from collections.abc import Callable, Iterable, Mapping

from ngxlab_contracts.sentences import fixed, say

from ngxlab.analysis.metrics import METRICS, Metric
from ngxlab.analysis.schemas import MetricKey, StreamSummary, TrialSummary

_OF_STREAM: Mapping[MetricKey, Callable[[StreamSummary], float | None]] = {
    "requests_per_s": lambda stream: stream.requests_per_s,
    "latency_p50_us": lambda stream: stream.latency.p50_us if stream.latency is not None else None,
    "latency_p99_us": lambda stream: stream.latency.p99_us if stream.latency is not None else None,
}

STREAM_METRICS: tuple[MetricKey, ...] = tuple(_OF_STREAM)
"""In which a stream is compared."""


def stream_keys(trials: Iterable[TrialSummary]) -> list[str]:
    """The keys of all streams, in the order of their first appearance; empty if no trial has more than one stream."""
    by_trial = [[stream.stream for stream in trial.streams] for trial in trials]
    if all(len(keys) < 2 for keys in by_trial):
        return []
    return list(dict.fromkeys(key for keys in by_trial for key in keys))


def stream_metrics(key: str) -> list[Metric]:
    """The metrics in which a stream is compared, each read from the stream instead of the whole trial."""
    return [
        metric._replace(
            phrase=say("{metric} on stream `{stream}`", metric=fixed(metric.phrase), stream=key),
            value=_reader(key, _OF_STREAM[metric.info.key]),
            stream=key,
            responses=_reader(key, lambda stream: stream.latency.count if stream.latency is not None else None),
        )
        for metric in METRICS
        if metric.info.key in _OF_STREAM
    ]


def metric_named(name: str) -> Metric | None:
    """As a plan names it: its key, or ``STREAM.KEY``."""
    found = next((one for one in METRICS if one.name == name), None)
    stream, _, key = name.rpartition(".")
    if found is not None or not stream or key not in STREAM_METRICS:
        return found
    return next(one for one in stream_metrics(stream) if one.info.key == key)


def _reader(key: str, read: Callable[[StreamSummary], float | None]) -> Callable[[TrialSummary], float | None]:
    return lambda trial: next((read(stream) for stream in trial.streams if stream.stream == key), None)
