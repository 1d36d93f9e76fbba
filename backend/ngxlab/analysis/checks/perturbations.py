"""Did every perturbation take place?"""

import signal
from collections.abc import Iterator

from ngxlab_contracts.perturbations import Action, Churn, Reload, SignalNginx
from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_contracts.telemetry import ActionEvent

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, trial_check, unavailable
from ngxlab.analysis.schemas import ActionsSummary

FAILED_NOTE = "perturbation-failed"
"""Code of the agent's note of a failed action, on which check ``perturbations`` reports in more detail."""
_TERMINATING: dict[str, int] = {name: signal.Signals[f"SIG{name}"] for name in ("QUIT", "KILL", "TERM")}
_PRESSURES = frozenset({"cpu-pressure", "disk-pressure"})


def is_perturbed(context: TrialContext) -> bool:
    return any(host.spec.perturbations for host in context.record.hosts)


def is_pressed(context: TrialContext) -> bool:
    """Whether a perturbation uses CPU or disk on purpose, on any host: several hosts may be one machine."""
    specs = (one for host in context.record.hosts for one in host.spec.perturbations)
    return any(one.action.kind in _PRESSURES for one in specs)


def killed_workers(context: TrialContext) -> dict[int, int]:
    """How many workers of the nginx under test perturbations may have ended, by the number of the signal."""
    killed: dict[int, int] = {}
    for event in context.host.actions():
        action = _planned(context, event)
        if event.ok and isinstance(action, SignalNginx) and action.signal in _TERMINATING and action.to != "master":
            number = _TERMINATING[action.signal]
            killed[number] = killed.get(number, 0) + (1 if action.to == "worker" else context.host.nginx.workers)
    return killed


def renewed_connections(context: TrialContext) -> int:
    """The most connections that can have been opened again because a perturbation ended their worker."""
    planned = sum(stream.connections for stream in context.all_streams)
    return planned * sum(_replaces_workers(context, event) for event in context.host.actions())


def _replaces_workers(context: TrialContext, event: ActionEvent) -> bool:
    """Whether it was a reload, a signal that ends processes, or a change of upstreams through a reload."""
    if event.skipped:
        return False
    match _planned(context, event):
        case Reload():
            return True
        case SignalNginx(signal=name):
            return name in _TERMINATING
        case Churn():
            upstreams = context.host.nginx.upstreams
            return upstreams is not None and upstreams.through == "file"
    return False


def _planned(context: TrialContext, event: ActionEvent) -> Action | None:
    return next((one.action for one in context.host.spec.perturbations if one.key == event.perturbation), None)


_LOOK_AT_MARKS = "look at their marks in the charts; skipped actions need more time between them, or a longer window"


def _all_done(context: TrialContext) -> Finding:
    """Whether every action of every perturbation was carried out and succeeded."""
    planned = [one.key for host in context.record.hosts for one in host.spec.perturbations]
    if context.host.window is None:
        return unavailable("the trial has no measured window")
    if not planned:
        return passed("does not apply: no perturbation is planned")
    done = context.summary.actions
    missing = sorted(set(planned) - {one.perturbation for one in done})
    incomplete = [*_incomplete(done), *(say("{key}: no action was carried out", key=key) for key in missing)]
    if incomplete:
        return Finding("warning", listed(incomplete, "; "), _LOOK_AT_MARKS)
    return passed("all {count} actions were carried out and succeeded", count=sum(one.count for one in done))


def _incomplete(done: list[ActionsSummary]) -> Iterator[Sentence]:
    for one in done:
        clauses = [say("{failed} of {count} failed", failed=one.failed, count=one.count)] if one.failed else []
        clauses += (
            [say("{skipped} of {count} were skipped", skipped=one.skipped, count=one.count)] if one.skipped else []
        )
        if clauses:
            yield say("{key} ({action}): {clauses}", key=one.perturbation, action=one.action, clauses=listed(clauses))


PERTURBATIONS = trial_check("perturbations", _all_done, _LOOK_AT_MARKS)
