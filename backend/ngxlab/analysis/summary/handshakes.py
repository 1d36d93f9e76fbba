"""TLS handshakes as the generators made and timed them, in the measured window."""

from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.statistics.histograms import merge


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    """All streams but probes together; empty where no handshake was timed."""
    streams = [(host, stream) for host in record.hosts for stream in host.spec.streams if not stream.probe]
    every = [one for host, stream in streams for one in host.window_intervals(stream.key, "handshake")]
    histogram = merge(one.histogram for one in every)
    seconds = next((host.window.seconds for host, _ in streams if host.window is not None), None)
    if histogram is None or not seconds:
        return {}
    took = histogram.summarise()
    return {
        "handshakes_per_s": sum(one.count for one in every) / seconds,
        "handshake_p50_us": took.p50_us,
        "handshake_p99_us": took.p99_us,
    }
