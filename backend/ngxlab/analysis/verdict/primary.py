"""The primary metrics of a load, where a plan names none."""

from collections.abc import Mapping, Sequence

from ngxlab_contracts.engines import Loop

_BY_LOOP: Mapping[Loop, tuple[str, ...]] = {
    "closed": ("requests_per_s", "latency_p99_us"),
    "open": ("latency_p99_us", "requests_per_s"),
    "hold": ("worker_rss_growth_bytes",),
}
"""What each load measures: a closed loop its rate; an open loop, whose rate is planned, its latency and whether it was
served at that rate; idle connections their memory."""


def default_primary(loops: Sequence[Loop]) -> tuple[str, ...]:
    """Where there are several loads, the first of closed, open, hold decides."""
    return next((metrics for loop, metrics in _BY_LOOP.items() if loop in loops), _BY_LOOP["closed"])
