"""What other checks must allow for in a trial with perturbations."""

import signal

from ngxlab_contracts.perturbations import Action, Churn, Reload, SignalNginx
from ngxlab_contracts.telemetry import ActionEvent

from ngxlab.analysis.checks.context import TrialContext

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
