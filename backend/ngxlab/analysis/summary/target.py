"""The fields of a trial's summary that come from the target."""

import math
from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.schemas import (
    Balance,
    NetworkRate,
    NginxBuild,
    NginxCounts,
    SamplingSummary,
    TrialHostSummary,
    WorkerSummary,
)
from ngxlab.analysis.summary import host
from ngxlab.analysis.summary.environment import directive_values, nginx_build
from ngxlab.analysis.summary.nginx_defaults import left_to_nginx

_WORKER = "nginx-worker"


def summarise_workers(record: HostRecord) -> list[WorkerSummary]:
    """One for each worker that was read in the window. CPU is that of the main thread, which runs the event loop."""
    if record.window is None:
        return []
    columns = record.series.find("ngxlab_process_open_fds", role=_WORKER)
    columns += record.series.find("ngxlab_process_run_seconds_total", role=_WORKER)
    indexes = sorted({int(column.labels["index"]) for column in columns})
    rates = {index: _cpu_rate(record, index) for index in indexes}
    whole = math.fsum(rate for rate in rates.values() if rate is not None)
    return [_summary(record, index, rates[index], whole) for index in indexes]


def balance_of(workers: Sequence[WorkerSummary]) -> Balance | None:
    """``None`` with fewer than two workers. A value is ``None`` if one worker was not measured or all are zero."""
    if len(workers) < 2:
        return None
    cpu = [worker.cpu_percent for worker in workers]
    connections = [worker.connections for worker in workers]
    return Balance(
        workers=len(workers),
        cpu_cv=coefficient_of_variation(cpu),
        cpu_max_over_mean=max_over_mean(cpu),
        connections_cv=coefficient_of_variation(connections),
        connections_max_over_mean=max_over_mean(connections),
    )


def coefficient_of_variation(values: Sequence[float | None]) -> float | None:
    """Population standard deviation / mean: the workers are the whole population, not a sample.

    0 if all have the same, sqrt(n - 1) if one of n has everything: 1.73 with four.
    """
    complete = _complete(values)
    return float(np.std(complete) / np.mean(complete)) if complete is not None else None


def max_over_mean(values: Sequence[float | None]) -> float | None:
    complete = _complete(values)
    return float(np.max(complete) / np.mean(complete)) if complete is not None else None


def _complete(values: Sequence[float | None]) -> list[float] | None:
    present = [value for value in values if value is not None]
    return present if present and len(present) == len(values) and sum(present) > 0 else None


def _summary(record: HostRecord, index: int, rate: float | None, whole: float) -> WorkerSummary:
    window = record.window
    return WorkerSummary(
        index=index + 1,
        cpu_s=rate * window.seconds if rate is not None and window is not None else None,
        cpu_percent=100 * rate if rate is not None else None,
        cpu_share_percent=100 * rate / whole if rate is not None and whole > 0 else None,
        connections=_connections(record, index),
    )


def _cpu_rate(record: HostRecord, index: int) -> float | None:
    """Cores used. From schedstat, which is exact; clock ticks only where the kernel has no schedstat."""
    if record.window is None:
        return None
    labels = {"role": _WORKER, "index": str(index)}
    exact = record.series.rate(record.window, "ngxlab_process_run_seconds_total", **labels)
    if exact is not None:
        return exact
    return record.series.rate(record.window, "ngxlab_process_cpu_seconds_total", **labels)


def _connections(record: HostRecord, index: int) -> float | None:
    """Median of open descriptors less the last reading before the load; ``None`` without such a reading."""
    began_us = record.load_began_us
    if record.window is None or began_us is None:
        return None
    for column in record.series.find("ngxlab_process_open_fds", role=_WORKER, index=str(index)):
        during, before = column.median(record.window), column.last_before(began_us)
        if during is not None and before is not None:
            return max(0.0, during - before)
    return None


def _access_logs(config: str) -> list[str]:
    """Without the one by which ngxlab counts handshakes."""
    return [value for value in directive_values(config, "access_log") if not value.startswith("@@folder@@/tls.log")]


class TargetFields(TypedDict):
    """Named as in :class:`TrialSummary`."""

    window_s: float | None
    nginx: NginxCounts | None
    nginx_build: NginxBuild | None
    cpu_percent_by_mode: dict[str, float]
    workers: list[WorkerSummary]
    balance: Balance | None
    network: list[NetworkRate]
    agent_cpu_percent: float | None
    sampling: SamplingSummary | None
    access_log: list[str]
    left_to_nginx: list[str]


def target_fields(record: TrialRecord, hosts: Sequence[TrialHostSummary]) -> TargetFields:
    """``None`` or empty without a target. ``hosts``: the summaries of the trial's hosts."""
    target = record.target
    summary = next((one for one in hosts if "target" in one.roles), None)
    of_workers = summarise_workers(target) if target is not None else []
    return TargetFields(
        window_s=target.window.seconds if target is not None and target.window is not None else None,
        nginx=host.nginx_counts(target) if target is not None else None,
        nginx_build=nginx_build(target) if target is not None else None,
        cpu_percent_by_mode=summary.cpu_percent_by_mode if summary is not None else {},
        workers=of_workers,
        balance=balance_of(of_workers),
        network=summary.network if summary is not None else [],
        agent_cpu_percent=summary.agent_cpu_percent if summary is not None else None,
        sampling=summary.sampling if summary is not None else None,
        access_log=_access_logs(target.nginx.config) if target is not None else [],
        left_to_nginx=left_to_nginx(target.nginx.config) if target is not None else [],
    )
