"""One trial in figures, from its raw record."""

from collections.abc import Callable, Sequence
from typing import Literal

from ngxlab.analysis.measures import environment, host, streams, workers
from ngxlab.analysis.measures.streams import StreamMeasure
from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import NginxCounts, TrialNote, TrialSummary

RateSource = Literal["histogram", "stub_status", "none"]

MIN_WINDOW_SHARE = 0.99
"""A window cut shorter than this share of the plan (a cancelled trial) is not compared with whole ones."""


def summarise_trial(record: TrialRecord) -> TrialSummary:
    """Total: what the record does not hold is ``None`` or empty, never an exception.

    With several hosts the first is the target (nginx, CPU, workers, network); streams of all hosts are merged.
    Raises ValueError only for histograms whose precisions differ, which one agent version cannot produce.
    """
    target = record.target
    measured = [measure for part in record.hosts for measure in streams.measure_streams(part)]
    histogram = streams.merged(measured)
    nginx = host.nginx_counts(target) if target is not None else None
    rate, source = _rate(measured, nginx)
    worker_summaries = workers.measure_workers(target) if target is not None else []
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
        requests=_requests(measured, nginx),
        requests_per_s=rate,
        rate_source=source,
        latency=histogram.summarise() if histogram is not None else None,
        latency_histogram=histogram.encode() if histogram is not None else None,
        streams=[measure.summary for measure in measured],
        nginx=nginx,
        nginx_cpu_s_per_1000_requests=_cost(record.hosts[:1], host.nginx_cores, rate),
        generator_cpu_s_per_1000_requests=_cost(record.hosts, _generator_cores, rate),
        cpu_percent_by_mode=host.cpu_percent_by_mode(target) if target is not None else {},
        workers=worker_summaries,
        balance=workers.balance_of(worker_summaries),
        network=host.network_rates(target) if target is not None else [],
        agent_cpu_percent=host.agent_cpu_percent(target) if target is not None else None,
        sampling=host.sampling(target) if target is not None else None,
        notes=[note for part in record.hosts for note in _notes(part)],
        environment=environment.environment(record),
        access_log=environment.directive_values(target.nginx.config, "access_log") if target is not None else [],
    )


def _rate(measured: Sequence[StreamMeasure], nginx: NginxCounts | None) -> tuple[float | None, RateSource]:
    """All streams must be counted exactly, or none is: two sources would not add up."""
    rates = [measure.summary.requests_per_s for measure in measured]
    known = [rate for rate in rates if rate is not None]
    if known and len(known) == len(rates):
        return sum(known), "histogram"
    if nginx is not None:
        return nginx.requests / nginx.seconds, "stub_status"
    return None, "none"


def _requests(measured: Sequence[StreamMeasure], nginx: NginxCounts | None) -> int | None:
    counts = [measure.summary.requests for measure in measured]
    known = [count for count in counts if count is not None]
    if known and len(known) == len(counts):
        return sum(known)
    return nginx.requests if nginx is not None else None


def _unusable_reason(record: TrialRecord, rate: float | None) -> str | None:
    target = record.target
    if record.state != "completed":
        return f"the trial is {record.state}"
    if target is None:
        return "no host reported anything"
    if target.window is None:
        return "the measured window has no beginning or no end"
    planned = target.spec.timing.measure_s
    if target.window.seconds < MIN_WINDOW_SHARE * planned:
        return f"the window lasted {target.window.seconds:.1f} s of {planned:g} s planned"
    if rate is None:
        return "no request count is known for the window"
    return None


def _cost(
    records: Sequence[HostRecord], cores: Callable[[HostRecord], float | None], rate: float | None
) -> float | None:
    """CPU seconds per 1000 requests. Rates on both sides, as their readings do not span the very same time."""
    used = [value for value in map(cores, records) if value is not None]
    return 1000 * sum(used) / rate if used and rate else None


def _generator_cores(record: HostRecord) -> float | None:
    return host.role_cores(record, "generator")


def _notes(record: HostRecord) -> list[TrialNote]:
    origin = record.phase_at_us("measure")
    return [
        TrialNote(
            severity=note.severity,
            code=note.code,
            message=note.message,
            t_s=(note.t_us - origin) / 1e6 if origin is not None else None,
        )
        for note in record.notes()
    ]
