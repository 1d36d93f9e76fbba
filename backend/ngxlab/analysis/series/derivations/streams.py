"""What our own load engines count themselves, stream by stream."""

from collections.abc import Iterator

from ngxlab.analysis.series.derivations.step import Labels, Line, Step


def backlog(step: Step) -> Iterator[Line]:
    for labels, value in step.gauges("ngxlab_stream_backlog"):
        yield Line("stream_backlog", labels["stream"], value)


def connections(step: Step) -> Iterator[Line]:
    for labels, value in step.gauges("ngxlab_stream_connections"):
        yield Line("stream_connections", labels["stream"], value)


def errors(step: Step) -> Iterator[Line]:
    """By kind, and reconnects, which are no errors where the server ends idle connections."""
    for labels, rate in step.rates("ngxlab_stream_errors_total"):
        yield from _once_it_happened(step, labels, labels["kind"], rate)
    for labels, rate in step.rates("ngxlab_stream_reconnects_total"):
        yield from _once_it_happened(step, labels, "reconnect", rate)


def _once_it_happened(step: Step, labels: Labels, kind: str, rate: float | None) -> Iterator[Line]:
    label = f"{labels['stream']} {kind}"
    if step.memory.appeared("stream_errors_per_s", label, rate):
        yield Line("stream_errors_per_s", label, rate)
