"""The target as a whole: iowait, load average and network."""

import numpy as np

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.summary import host


def metric_values(record: TrialRecord) -> dict[str, float | None]:
    target = record.target
    if target is None or target.window is None:
        return {}
    traffic = host.network_rates(target)
    return {
        "iowait_percent": host.cpu_percent_by_mode(target).get("iowait"),
        "load1": _mean(target, "node_load1"),
        "network_in_bits_per_s": sum(one.received_bits_per_s for one in traffic) if traffic else None,
        "network_out_bits_per_s": sum(one.transmitted_bits_per_s for one in traffic) if traffic else None,
    }


def _mean(record: HostRecord, name: str) -> float | None:
    if record.window is None:
        return None
    means = [
        float(np.mean(values)) for one in record.series.find(name) if (values := one.within(record.window).values).size
    ]
    return means[0] if means else None
