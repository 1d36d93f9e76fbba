"""How long parts of a request take a client, in the measured window: opening a connection, TLS, the first byte."""

from typing import get_args

from ngxlab_contracts.telemetry import ClientPhase

from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.statistics.histograms import merge


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    """All streams but probes together; without the parts that nobody timed."""
    streams = [(host, stream) for host in record.hosts for stream in host.spec.streams if not stream.probe]
    seconds = next((host.window.seconds for host, _ in streams if host.window is not None), None)
    values: dict[str, float | None] = {}
    for phase in get_args(ClientPhase):
        every = [one for host, stream in streams for one in host.window_intervals(stream.key, phase)]
        histogram = merge(one.histogram for one in every)
        if histogram is None or not seconds:
            continue
        took = histogram.summarise()
        values |= {f"{phase}_p50_us": took.p50_us, f"{phase}_p99_us": took.p99_us}
        if phase == "handshake":
            values["handshakes_per_s"] = sum(one.count for one in every) / seconds
    return values
