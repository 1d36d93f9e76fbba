"""What ngxlab's own load engines count, stream by stream."""

from collections.abc import Iterator

from ngxlab.analysis.series.derivations.declaration import series
from ngxlab.analysis.series.derivations.step import MISSING, Labels, Line, Step, Value


@series("stream_backlog", "ngxlab_stream_backlog")
def backlog(step: Step) -> Iterator[Line]:
    for labels, value in step.gauges("ngxlab_stream_backlog"):
        yield Line("stream_backlog", labels["stream"], value)


@series("stream_connections", "ngxlab_stream_connections")
def connections(step: Step) -> Iterator[Line]:
    for labels, value in step.gauges("ngxlab_stream_connections"):
        yield Line("stream_connections", labels["stream"], value)


@series("stream_handshakes_per_s", "ngxlab_stream_handshakes_total", "ngxlab_stream_handshakes_resumed_total")
def handshakes(step: Step) -> Iterator[Line]:
    resumed = {labels["stream"]: rate for labels, rate in step.rates("ngxlab_stream_handshakes_resumed_total")}
    for labels, rate in step.rates("ngxlab_stream_handshakes_total"):
        stream = labels["stream"]
        again = resumed.get(stream, MISSING)
        for kind, value in (("full", rate - again), ("resumed", again)):
            label = f"{stream} {kind}"
            shown = step.memory.since_active("stream_handshakes_per_s", label, value)
            if shown is not None:
                yield Line("stream_handshakes_per_s", label, shown)


@series("stream_errors_per_s", "ngxlab_stream_errors_total")
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
