"""Values that need all hosts of a trial."""

from collections.abc import Sequence

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.records.stream_spans import busiest
from ngxlab.analysis.schemas import Accounting, StreamSummary, TrialHostSummary
from ngxlab.analysis.summary import host
from ngxlab.analysis.summary.streams import account
from ngxlab.analysis.summary.totals import total


def host_summaries(record: TrialRecord) -> list[TrialHostSummary]:
    """Every host, the target first."""
    ordered = sorted(record.hosts, key=lambda one: one is not record.target)
    return [_summary(one, record.labels[one.host_id]) for one in ordered]


def start_spread_us(record: TrialRecord) -> int | None:
    """Between the first and the last host that started its streams, on the backend's clock.

    The hosts' clocks are corrected by their measured offsets. ``None`` if a host did not start, or no host has streams.
    """
    began = [(one.load_began_us, one.clock_offset_us) for one in record.loading]
    corrected = [began_us + offset_us for began_us, offset_us in began if began_us is not None]
    if not corrected or len(corrected) < len(began):
        return None
    return max(corrected) - min(corrected)


def connections_planned(record: TrialRecord) -> int | None:
    """The most connections that the plan has open at once within the window."""
    if not record.hosts:
        return None
    streams = [stream for one in record.hosts for stream in one.spec.streams]
    busy = busiest(streams, record.hosts[0].spec.timing)
    return busy.connections if busy is not None else 0


def trial_accounting(record: TrialRecord, streams: Sequence[StreamSummary]) -> Accounting | None:
    """The counts of all streams together, and the target nginx's own. ``None`` if there is no count at all."""
    accounts = [stream.accounting for stream in streams]
    live = total([one.live_requests if one is not None else None for one in accounts])
    printed = total([one.printed_requests if one is not None else None for one in accounts])
    unread = any(one is not None and one.unread_percent > 0 for one in accounts)
    counted = record.target.nginx_total() if record.target is not None else None
    stub = counted.requests if counted is not None else None
    if counted is None and len(accounts) == 1 and accounts[0] is not None:
        stub = accounts[0].stub_requests
    return None if live is printed is stub is None else account(live, printed, stub, unread=unread)


def _summary(record: HostRecord, name: str) -> TrialHostSummary:
    cores = {
        "nginx": host.nginx_cores(record),
        "generator": host.role_cores(record, "generator"),
        "upstream": host.role_cores(record, "upstream"),
        "agent": host.role_cores(record, "agent"),
        "helper": host.role_cores(record, "helper"),
    }
    return TrialHostSummary(
        host_id=record.host_id,
        name=name,
        hostname=record.hostname,
        roles=record.roles,
        clock_offset_us=record.clock_offset_us,
        cpu_percent_by_mode=host.cpu_percent_by_mode(record),
        cores_by_role={role: used for role, used in cores.items() if used is not None},
        network=host.network_rates(record),
        agent_cpu_percent=host.agent_cpu_percent(record),
        sampling=host.sampling(record),
        server=host.server_cost(record),
    )
