"""A host during the window: nginx's counters, CPU, network, the agent's own cost, completeness of sampling."""

import math

import numpy as np

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import NetworkRate, NginxCounts, SamplingSummary, ServerCost

_NGINX_ROLES = ("nginx-master", "nginx-worker")


def nginx_counts(record: HostRecord) -> NginxCounts | None:
    """``None`` with fewer than two polls in the window. The polls share one connection, so they add no accept."""
    if record.window is None:
        return None
    names = (
        "nginx_connections_accepted_total",
        "nginx_connections_handled_total",
        "nginx_http_requests_total",
        "ngxlab_stub_status_polls_total",
    )
    columns = [series for name in names for series in record.series.find(name)]
    increases = [increase for series in columns if (increase := series.increase(record.window)) is not None]
    if len(increases) != len(names):
        return None
    accepts, handled, requests, polls = (round(increase.amount) for increase in increases)
    return NginxCounts(
        seconds=increases[0].seconds, accepts=accepts, handled=handled, requests=max(0, requests - polls)
    )


def nginx_cores(record: HostRecord) -> float | None:
    """CPU seconds per second of the master and all workers, all their threads, user and system."""
    if record.window is None:
        return None
    rates = [record.series.rate(record.window, "ngxlab_process_cpu_seconds_total", role=role) for role in _NGINX_ROLES]
    measured = [rate for rate in rates if rate is not None]
    return math.fsum(measured) if measured else None


def role_cores(record: HostRecord, role: str) -> float | None:
    """CPU seconds per second of all processes of this role."""
    if record.window is None:
        return None
    return record.series.rate(record.window, "ngxlab_process_cpu_seconds_total", role=role)


def cpu_percent_by_mode(record: HostRecord) -> dict[str, float]:
    """Share of all CPUs' time by mode, 0 to 100. Empty if it was not measured."""
    if record.window is None:
        return {}
    gained: dict[str, float] = {}
    for series in record.series.find("node_cpu_seconds_total"):
        inside = series.within(record.window).values
        if inside.size < 2:
            return {}
        # idle and iowait may decrease slightly (proc_stat(5)): take the difference of the ends, and no reset.
        mode = series.labels["mode"]
        gained[mode] = gained.get(mode, 0.0) + max(0.0, float(inside[-1] - inside[0]))
    whole = math.fsum(gained.values())
    return {mode: 100 * value / whole for mode, value in gained.items()} if whole > 0 else {}


def network_rates(record: HostRecord) -> list[NetworkRate]:
    """Devices that carried anything in the window."""
    if record.window is None:
        return []
    rates = []
    for series in record.series.find("node_network_receive_bytes_total"):
        device = series.labels["device"]
        received = series.increase(record.window)
        transmitted = record.series.rate(record.window, "node_network_transmit_bytes_total", device=device)
        if received is not None and transmitted is not None and (received.amount or transmitted):
            bits = NetworkRate(
                device=device, received_bits_per_s=8 * received.per_second, transmitted_bits_per_s=8 * transmitted
            )
            rates.append(bits)
    return rates


def agent_cpu_percent(record: HostRecord) -> float | None:
    """CPU time of the agent in percent of one core."""
    if record.window is None:
        return None
    cores = record.series.rate(record.window, "ngxlab_process_run_seconds_total", role="agent")
    cores = cores if cores is not None else role_cores(record, "agent")
    return 100 * cores if cores is not None else None


def server_cost(record: HostRecord) -> ServerCost | None:
    """As the agent read it at the ends of the planned window, whichever window was chosen later."""
    used = record.server_use()
    if used is None or used.seconds <= 0:
        return None
    percent = {name: 100 * cpu_s / used.seconds for name, cpu_s in used.cpu_s.items()}
    return ServerCost(cpu_percent_by_service=percent, is_changed=used.is_changed)


def sampling(record: HostRecord) -> SamplingSummary | None:
    """A gap of k sampling intervals, also at the edges of the window, counts as k - 1 missing readings."""
    window = record.window
    if window is None or not record.series.reading_times_us:
        return None
    interval_us = record.spec.sampling.interval_ms * 1000
    missing, longest_us = 0, 0
    for times in record.series.reading_times_us.values():
        inside = times[(times > window.start_us) & (times < window.end_us)]
        gaps = np.diff(np.concatenate([[window.start_us], inside, [window.end_us]]))
        missing += int(np.maximum(np.rint(gaps / interval_us) - 1, 0).sum())
        longest_us = max(longest_us, int(gaps.max()))
    per_collector = max(1, round((window.end_us - window.start_us) / interval_us))
    expected = per_collector * len(record.series.reading_times_us)
    return SamplingSummary(
        expected=expected,
        missing=missing,
        missing_percent=100 * missing / expected,
        longest_gap_s=longest_us / 1e6,
    )


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    target = record.target
    if target is None or target.window is None:
        return {}
    traffic = network_rates(target)
    return {
        "iowait_percent": cpu_percent_by_mode(target).get("iowait"),
        "load1": _mean(target, "node_load1"),
        "network_in_bits_per_s": math.fsum(one.received_bits_per_s for one in traffic) if traffic else None,
        "network_out_bits_per_s": math.fsum(one.transmitted_bits_per_s for one in traffic) if traffic else None,
    }


def _mean(record: HostRecord, name: str) -> float | None:
    if record.window is None:
        return None
    means = [
        float(np.mean(values)) for one in record.series.find(name) if (values := one.within(record.window).values).size
    ]
    return means[0] if means else None
