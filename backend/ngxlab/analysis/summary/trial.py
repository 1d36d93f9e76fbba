"""The summary of one trial, from its raw record."""

from collections.abc import Iterator, Sequence
from typing import Literal

from ngxlab_contracts.hosts import HostRole

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import NginxCounts, TrialHostSummary, TrialNote, TrialSummary
from ngxlab.analysis.summary import actions, environment, fleet, host, streams, workers
from ngxlab.analysis.summary.metric_values import metric_values
from ngxlab.analysis.summary.streams import SummarisedStream
from ngxlab.analysis.summary.totals import total

RateSource = Literal["histogram", "stub_status", "none"]

MIN_WINDOW_SHARE = 0.99
"""A trial whose window is shorter than this share of the plan (it was cancelled) is not compared with others."""


def summarise_trial(record: TrialRecord) -> TrialSummary:
    """Works on any record: what it does not hold is ``None`` or empty.

    Streams, generators and upstream servers are those of all hosts. Percentiles are those of the merged histograms of
    all streams except probes. nginx, its workers and values of a host outside ``hosts`` are the target's. Raises
    ValueError only if histograms have different precisions, which one version of the agent cannot produce.
    """
    target = record.target
    every = [stream for one in record.hosts for stream in streams.summarise_streams(one)]
    loading = streams.without_probes(every)
    histogram = streams.merged(loading)
    nginx = host.nginx_counts(target) if target is not None else None
    stream_summaries = [stream.summary for stream in every]
    host_summaries = fleet.host_summaries(record)
    on_target = next((one for one in host_summaries if "target" in one.roles), None)
    rate, source = _rate(loading, nginx)
    worker_summaries = workers.summarise_workers(target) if target is not None else []
    reason = _unusable_reason(record, rate)
    return TrialSummary(
        trial_id=record.trial_id,
        arm=record.arm,
        block=record.block,
        position=record.position,
        attempt=record.attempt,
        state=record.state,
        usable=reason is None,
        unusable_reason=reason,
        window_s=target.window.seconds if target is not None and target.window is not None else None,
        requests=_requests(loading, nginx),
        requests_per_s=rate,
        rate_source=source,
        latency=histogram.summarise() if histogram is not None else None,
        latency_histogram=histogram.encode() if histogram is not None else None,
        streams=stream_summaries,
        connections_planned=fleet.connections_planned(record),
        accounting=fleet.trial_accounting(record, stream_summaries),
        start_spread_us=fleet.start_spread_us(record),
        nginx=nginx,
        nginx_cpu_s_per_1000_requests=_cost(host_summaries, "target", "nginx", rate),
        generator_cpu_s_per_1000_requests=_cost(host_summaries, "generator", "generator", rate),
        backend_cpu_s_per_1000_requests=_cost(host_summaries, "backend", "backend", rate),
        cpu_percent_by_mode=on_target.cpu_percent_by_mode if on_target is not None else {},
        workers=worker_summaries,
        balance=workers.balance_of(worker_summaries),
        network=on_target.network if on_target is not None else [],
        agent_cpu_percent=on_target.agent_cpu_percent if on_target is not None else None,
        sampling=on_target.sampling if on_target is not None else None,
        hosts=host_summaries,
        notes=[note for one in record.hosts for note in _notes(record, one)],
        actions=actions.summaries(record),
        environment=environment.environment(record),
        access_log=environment.directive_values(target.nginx.config, "access_log") if target is not None else [],
        figures=metric_values(record),
    )


def _rate(loading: Sequence[SummarisedStream], nginx: NginxCounts | None) -> tuple[float | None, RateSource]:
    """From the histograms only if all streams have one, as two sources would not add up."""
    rate = total([stream.adds_per_s for stream in loading])
    if rate is not None:
        return rate, "histogram"
    if nginx is not None:
        return nginx.requests / nginx.seconds, "stub_status"
    return None, "none"


def _requests(loading: Sequence[SummarisedStream], nginx: NginxCounts | None) -> int | None:
    requests = total([stream.summary.requests for stream in loading])
    if requests is not None:
        return requests
    return nginx.requests if nginx is not None else None


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
        return "the measured window has no start or no end"
    planned_s = record.spec.timing.measure_s
    if record.window.seconds < MIN_WINDOW_SHARE * planned_s:
        return f"the window lasted {record.window.seconds:.1f} s of {planned_s:g} s planned"
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
