"""The summary of one trial, from its raw record."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

from ngxlab_contracts.hosts import HostRole
from ngxlab_contracts.telemetry import ActionEvent

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.records.stream_spans import busiest
from ngxlab.analysis.schemas import (
    Accounting,
    ActionsSummary,
    ChosenWindow,
    StreamSummary,
    TrialHostSummary,
    TrialNote,
    TrialSummary,
)
from ngxlab.analysis.summary import (
    capacity,
    churn,
    client_phases,
    counted,
    curve,
    disk,
    environment,
    host,
    idle_connections,
    inside,
    nginx,
    rejected,
    streams,
)
from ngxlab.analysis.summary.bottleneck.limits import resource_uses
from ngxlab.analysis.summary.course import steady_from_s, within_variance
from ngxlab.analysis.summary.streams import account, load_fields, total
from ngxlab.analysis.summary.target import target_fields
from ngxlab.analysis.summary.websockets import holds_websockets


def _action_summaries(record: TrialRecord) -> list[ActionsSummary]:
    """One for each perturbation that has an action, host by host, in the order of the plan."""
    summarised = []
    for part in record.hosts:
        by_key: dict[str, list[ActionEvent]] = {}
        for action in part.actions():
            by_key.setdefault(action.perturbation, []).append(action)
        planned = [one.key for one in part.spec.perturbations]
        summarised += [_action_summary(record, part, by_key[key]) for key in planned if key in by_key]
    return summarised


def _action_summary(record: TrialRecord, host: HostRecord, actions: Sequence[ActionEvent]) -> ActionsSummary:
    done = [action for action in actions if not action.skipped]
    seconds = [(action.ended_us - action.t_us) / 1e6 for action in done if action.ended_us is not None]
    return ActionsSummary(
        perturbation=actions[0].perturbation,
        action=actions[0].action,
        host=record.labels[host.host_id],
        count=len(actions),
        failed=sum(not action.ok for action in done),
        skipped=len(actions) - len(done),
        mean_s=fmean(seconds) if seconds else None,
        max_s=max(seconds, default=None),
    )


MIN_WINDOW_SHARE = 0.99
"""A trial whose window is shorter than this share of the plan (it was cancelled) is not compared with others."""


def summarise_trial(record: TrialRecord) -> TrialSummary:
    """Works on any record: what it does not hold is ``None`` or empty.

    Streams, generators and upstream servers are of all hosts; percentiles are of all streams but probes, merged. Raises
    ValueError only if histograms have different precisions, which one version of the agent cannot produce.
    """
    every = [stream for one in record.hosts for stream in streams.summarise_streams(one)]
    hosts = _host_summaries(record)
    target = target_fields(record, hosts)
    load = load_fields(streams.without_probes(every), target["nginx"])
    rate = load["requests_per_s"]
    reason = _unusable_reason(record, rate)
    return TrialSummary(
        **target,
        **load,
        trial_id=record.trial_id,
        arm=record.arm,
        block=record.block,
        position=record.position,
        attempt=record.attempt,
        state=record.state,
        usable=reason is None,
        unusable_reason=reason,
        window_chosen=None if record.chosen is None else ChosenWindow(**record.chosen._asdict()),
        streams=[stream.summary for stream in every],
        connections_planned=_connections_planned(record),
        accounting=_trial_accounting(record, [stream.summary for stream in every]),
        start_spread_us=_start_spread_us(record),
        nginx_cpu_s_per_1000_requests=_cost(hosts, "target", "nginx", rate),
        generator_cpu_s_per_1000_requests=_cost(hosts, "generator", "generator", rate),
        upstream_cpu_s_per_1000_requests=_cost(hosts, "upstream", "upstream", rate),
        hosts=hosts,
        notes=[note for one in record.hosts for note in _notes(record, one)],
        actions=_action_summaries(record),
        environment=environment.environment(record),
        within_variance=within_variance(record),
        metric_values=metric_values(record),
        searches=capacity.searches(record),
        curves=curve.curves(record),
        steady_from_s=steady_from_s(record),
        resources=resource_uses(record),
    )


def _unusable_reason(record: TrialRecord, rate: float | None) -> str | None:
    target = record.target
    if record.state != "completed":
        return f"the trial's state is {record.state}"
    if target is None:
        return "no host reported anything" if not record.hosts else "the target reported nothing"
    for host_record in (one for one in record.hosts if one is target or one.spec.streams):
        problem = _window_problem(host_record)
        if problem is not None:
            return f"{record.labels[host_record.host_id]}: {problem}" if len(record.hosts) > 1 else problem
    if rate is None:
        return "no requests were counted in the window"
    return None


def _window_problem(record: HostRecord) -> str | None:
    if record.window is None:
        return (
            "the measured window has no start or no end" if record.planned_window is None else "no load in the window"
        )
    planned_s = record.spec.timing.measure_s
    if record.window.seconds < MIN_WINDOW_SHARE * planned_s:
        whose = "planned" if record.chosen is None else "chosen"
        return f"the window lasted {record.window.seconds:.1f} s of {planned_s:g} s {whose}"
    return None


def _cost(hosts: Sequence[TrialHostSummary], role: HostRole, processes: str, rate: float | None) -> float | None:
    """CPU seconds per 1000 requests, of all hosts with this role; ``None`` if one of them was not measured.

    Both CPU and requests are rates, as their readings do not cover exactly the same time.
    """
    cores = total([one.cores_by_role.get(processes) for one in hosts if role in one.roles])
    return 1000 * cores / rate if cores is not None and rate else None


def _notes(record: TrialRecord, host_record: HostRecord) -> Iterator[TrialNote]:
    origin = host_record.phase_at_us("measure")
    for note in host_record.notes():
        yield TrialNote(
            host=record.labels[host_record.host_id] if len(record.hosts) > 1 else None,
            severity=note.severity,
            code=note.code,
            message=note.message,
            t_s=(note.t_us - origin) / 1e6 if origin is not None else None,
        )


Source = Callable[[TrialRecord], Mapping[str, float | None]]

SOURCES: tuple[Source, ...] = (
    host.metric_values,
    nginx.metric_values,
    disk.metric_values,
    idle_connections.metric_values,
    churn.metric_values,
    rejected.metric_values,
    counted.metric_values,
    inside.metric_values,
    client_phases.metric_values,
    capacity.metric_values,
    curve.metric_values,
)


def metric_values(record: TrialRecord) -> dict[str, float]:
    """The values that were measured, by metric."""
    values = {key: value for source in SOURCES for key, value in source(record).items()}
    return {key: value for key, value in values.items() if value is not None}


def _host_summaries(record: TrialRecord) -> list[TrialHostSummary]:
    """Every host, the target first."""
    ordered = sorted(record.hosts, key=lambda one: one is not record.target)
    return [_summary(one, record.labels[one.host_id]) for one in ordered]


def _start_spread_us(record: TrialRecord) -> int | None:
    """Between the first and the last host that started its streams, on the backend's clock.

    The hosts' clocks are corrected by their measured offsets. ``None`` if a host did not start, or no host has streams.
    """
    began = [(one.load_began_us, one.clock_offset_us) for one in record.loading]
    corrected = [began_us + offset_us for began_us, offset_us in began if began_us is not None]
    if not corrected or len(corrected) < len(began):
        return None
    return max(corrected) - min(corrected)


def _connections_planned(record: TrialRecord) -> int | None:
    """The most connections that the plan has open at once within the window."""
    if not record.hosts:
        return None
    streams = [stream for one in record.hosts for stream in one.spec.streams]
    busy = busiest(streams, record.hosts[0].spec.timing)
    return busy.connections if busy is not None else 0


def _trial_accounting(record: TrialRecord, streams: Sequence[StreamSummary]) -> Accounting | None:
    """The counts of all streams together, and the target nginx's own. ``None`` if there is no count at all."""
    accounts = [stream.accounting for stream in streams]
    live = total([one.live_requests if one is not None else None for one in accounts])
    printed = total([one.printed_requests if one is not None else None for one in accounts])
    unread = any(one is not None and one.unread_percent > 0 for one in accounts)
    counted = record.target.nginx_total() if record.target is not None and not holds_websockets(record) else None
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
