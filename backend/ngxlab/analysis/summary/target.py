"""The fields of a trial's summary that come from the target."""

from collections.abc import Sequence
from typing import TypedDict

from ngxlab.analysis.records import TrialRecord
from ngxlab.analysis.schemas import (
    Balance,
    NetworkRate,
    NginxBuild,
    NginxCounts,
    SamplingSummary,
    TrialHostSummary,
    WorkerSummary,
)
from ngxlab.analysis.summary import host, workers
from ngxlab.analysis.summary.environment import directive_values, nginx_build


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


def target_fields(record: TrialRecord, hosts: Sequence[TrialHostSummary]) -> TargetFields:
    """``None`` or empty without a target. ``hosts``: the summaries of the trial's hosts."""
    target = record.target
    summary = next((one for one in hosts if "target" in one.roles), None)
    of_workers = workers.summarise_workers(target) if target is not None else []
    return TargetFields(
        window_s=target.window.seconds if target is not None and target.window is not None else None,
        nginx=host.nginx_counts(target) if target is not None else None,
        nginx_build=nginx_build(target) if target is not None else None,
        cpu_percent_by_mode=summary.cpu_percent_by_mode if summary is not None else {},
        workers=of_workers,
        balance=workers.balance_of(of_workers),
        network=summary.network if summary is not None else [],
        agent_cpu_percent=summary.agent_cpu_percent if summary is not None else None,
        sampling=summary.sampling if summary is not None else None,
        access_log=directive_values(target.nginx.config, "access_log") if target is not None else [],
    )
