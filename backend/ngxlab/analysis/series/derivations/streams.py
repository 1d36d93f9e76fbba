"""What ngxlab's own load engines count, stream by stream."""

from collections.abc import Iterator

from ngxlab.analysis.series.derivations.declaration import series
from ngxlab.analysis.series.derivations.step import Labels, Line, Step, Value


@series(
    "stream_backlog",
    reads=("ngxlab_stream_backlog",),
    order=80,
    title="Requests waiting for a connection",
    unit="requests",
    direction="less_is_better",
    of_streams=True,
    description="Requests of an open loop that were due, but found no free connection.",
)
def backlog(step: Step) -> Iterator[Line]:
    for labels, value in step.gauges("ngxlab_stream_backlog"):
        yield Line("stream_backlog", labels["stream"], value)


@series(
    "stream_connections",
    reads=("ngxlab_stream_connections",),
    order=90,
    title="Connections of the generators",
    unit="connections",
    of_streams=True,
    description="Open connections of each stream, as the generator counts them.",
)
def connections(step: Step) -> Iterator[Line]:
    for labels, value in step.gauges("ngxlab_stream_connections"):
        yield Line("stream_connections", labels["stream"], value)


@series(
    "stream_errors_per_s",
    reads=("ngxlab_stream_errors_total",),
    order=100,
    title="Errors of the generators",
    unit="errors/s",
    direction="less_is_better",
    of_streams=True,
    description="Failed connects, resets, timeouts, invalid responses and reconnects. Kinds that never occurred are"
    " left out.",
)
def errors(step: Step) -> Iterator[Line]:
    """Errors by kind, and reconnects, which are no errors if the server ends idle connections."""
    for labels, rate in step.rates("ngxlab_stream_errors_total"):
        yield from _once_it_occurred(step, labels, labels["kind"], rate)
    for labels, rate in step.rates("ngxlab_stream_reconnects_total"):
        yield from _once_it_occurred(step, labels, "reconnect", rate)


def _once_it_occurred(step: Step, labels: Labels, kind: str, rate: Value) -> Iterator[Line]:
    label = f"{labels['stream']} {kind}"
    shown = step.memory.since_active("stream_errors_per_s", label, rate)
    if shown is not None:
        yield Line("stream_errors_per_s", label, shown)
