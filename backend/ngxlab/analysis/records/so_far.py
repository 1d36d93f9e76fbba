"""A trial under way, cut off where its hosts' readings end."""

from dataclasses import replace

from ngxlab_contracts.telemetry import PhaseEvent

from ngxlab.analysis.records.host_record import HostRecord
from ngxlab.analysis.records.trial_record import TrialRecord

_SHORTEST_US = 3_000_000
_LONGEST_US = 10_000_000


def so_far(record: TrialRecord) -> TrialRecord | None:
    """As if the measured window ended now. ``None`` until it has lasted a third of the plan, at least 3 s and no longer
    than 10 s, on every host: rates over less time say little."""
    hosts = [_cut_off(host) for host in record.hosts]
    cut = [host for host in hosts if host is not None]
    return replace(record, hosts=cut) if cut and len(cut) == len(hosts) else None


def _cut_off(host: HostRecord) -> HostRecord | None:
    start_us = host.phase_at_us("measure")
    end_us = host.phase_at_us("cooldown") or _last_reading_us(host)
    least_us = max(_SHORTEST_US, min(_LONGEST_US, host.spec.timing.measure_s * 1e6 / 3))
    if start_us is None or end_us is None or end_us - start_us < least_us:
        return None
    return replace(host, events=[*host.events, PhaseEvent(t_us=end_us, phase="cooldown")])


def _last_reading_us(host: HostRecord) -> int | None:
    ends = [int(table.t_us[-1]) for table in host.tables.values() if len(table.t_us)]
    return max([*ends, *(frame.t_us for frame in host.frames)], default=None)
