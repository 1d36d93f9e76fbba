"""What other tools publish about themselves, to read our figures beside. Checked 2026-11-23."""

from typing import NamedTuple


class Published(NamedTuple):
    """``ours``: the names of the measures that come nearest."""

    tool: str
    says: str
    source: str
    ours: tuple[str, ...]


PEERS = (
    Published(
        "Netdata",
        "its agent takes 1 to 5 % of a core with default settings, a reading a second, 5 to 20 % in production",
        "https://learn.netdata.cloud/docs/netdata-agent/resource-utilization/",
        ("product-cpu-1hz", "agent-cpu-1hz"),
    ),
    Published(
        "k6",
        "its web dashboard aggregates over 10 s (K6_WEB_DASHBOARD_PERIOD) before it shows them",
        "https://github.com/grafana/k6/issues/3686",
        ("sample-to-screen-1",),
    ),
    Published(
        "Grafana",
        "a dashboard is asked anew every 5 s at most often by default (min_refresh_interval)",
        "https://grafana.com/grafana/dashboards/4411-k6-load-testing-results/",
        ("sample-to-screen-200",),
    ),
)
"""None publishes what its measuring costs the program that is measured, or how late a reading is on the screen."""
