"""Rules about perturbations: were they done, and did nginx take them? And what other rules must allow for."""

import re
import signal
from collections.abc import Iterator

from ngxlab_contracts.perturbations import Action, Churn, Reload, SignalNginx
from ngxlab_contracts.telemetry import ActionEvent

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable
from ngxlab.analysis.schemas import ActionsSummary

NOTE = "perturbation-failed"
"""Code of the agent's note; the rule here says more."""
_CONFIG = "nginx.conf"
_RUN_VARIABLE = re.compile(r"@@[^@\s]+@@")
_DEADLY: dict[str, int] = {name: signal.Signals[f"SIG{name}"] for name in ("QUIT", "KILL", "TERM")}
_PRESSURES = frozenset({"cpu-pressure", "disk-pressure"})


def config_live(context: TrialContext) -> Finding:
    """nginx.conf at the trial's end is the one that was intended, and every reload put new workers in."""
    kept = context.host.artefact(_CONFIG)
    if kept is None:
        return unavailable("the agent did not keep nginx.conf")
    if not is_filled_from(kept.text, context.host.nginx.config, truncated=kept.truncated):
        message = "nginx.conf on the host is not the one that was sent there"
        return Finding("error", message, "find out what wrote to it, and repeat the run")
    reloads = [action for action in context.host.actions() if action.action == "reload" and not action.skipped]
    failed = [action for action in reloads if not action.ok]
    if failed:
        message = f"{len(failed)} of {len(reloads)} reloads did not replace all workers: {failed[0].detail}"
        return Finding("error", message, "read nginx's error log; old workers ran on with the old configuration")
    if reloads:
        return passed(f"nginx.conf is as intended; all workers were new after each of {len(reloads)} reloads")
    return passed("nginx.conf is as intended")


def is_filled_from(config: str, template: str, *, truncated: bool = False) -> bool:
    """Whether ``config`` is ``template`` with something in the place of each run variable."""
    first, *others = _RUN_VARIABLE.split(template)
    if not config.startswith(first[: len(config)] if truncated else first):
        return False
    position = len(first)
    for piece in others:
        found = config.find(piece, position)
        if found < 0:
            return truncated
        position = found + len(piece)
    return truncated or config.endswith(others[-1] if others else first)


def all_done(context: TrialContext) -> Finding:
    """Every action of every perturbation was done, and succeeded."""
    planned = [one.key for host in context.record.hosts for one in host.spec.perturbations]
    if context.host.window is None:
        return unavailable("the trial has no measured window")
    if not planned:
        return passed("does not apply: nothing was to be done")
    done = context.summary.actions
    missing = sorted(set(planned) - {one.perturbation for one in done})
    found = [*_incomplete(done), *(f"{key}: nothing was done" for key in missing)]
    if found:
        mend = "look at their marks in the charts; skipped ones need more time between them, or a longer window"
        return Finding("warning", "; ".join(found), mend)
    return passed(f"all {sum(one.count for one in done)} actions were done and succeeded")


def _incomplete(done: list[ActionsSummary]) -> Iterator[str]:
    for one in done:
        parts = [f"{one.failed} of {one.count} failed"] if one.failed else []
        parts += [f"{one.skipped} of {one.count} were skipped"] if one.skipped else []
        if parts:
            yield f"{one.perturbation} ({one.action}): {', '.join(parts)}"


def is_perturbed(context: TrialContext) -> bool:
    return any(host.spec.perturbations for host in context.record.hosts)


def is_pressed(context: TrialContext) -> bool:
    """Whether processes of the trial itself are in the way on some host: hosts may be parts of one machine."""
    specs = (one for host in context.record.hosts for one in host.spec.perturbations)
    return any(one.action.kind in _PRESSURES for one in specs)


def killed_workers(context: TrialContext) -> dict[int, int]:
    """How many workers of the nginx under test may have been ended on purpose, by the number of the signal."""
    killed: dict[int, int] = {}
    for event in context.host.actions():
        action = _planned(context, event)
        if event.ok and isinstance(action, SignalNginx) and action.signal in _DEADLY and action.to != "master":
            number = _DEADLY[action.signal]
            killed[number] = killed.get(number, 0) + (1 if action.to == "worker" else context.host.nginx.workers)
    return killed


def renewed_connections(context: TrialContext) -> int:
    """At most so many connections were opened anew because their workers ended."""
    planned = sum(stream.connections for stream in context.all_streams)
    return planned * sum(_replaces_workers(context, event) for event in context.host.actions())


def _replaces_workers(context: TrialContext, event: ActionEvent) -> bool:
    """A reload, a signal that ends processes, or a change of upstreams by means of a reload."""
    if event.skipped:
        return False
    match _planned(context, event):
        case Reload():
            return True
        case SignalNginx(signal=name):
            return name in _DEADLY
        case Churn():
            upstreams = context.host.nginx.upstreams
            return upstreams is not None and upstreams.through == "file"
    return False


def _planned(context: TrialContext, event: ActionEvent) -> Action | None:
    return next((one.action for one in context.host.spec.perturbations if one.key == event.perturbation), None)
