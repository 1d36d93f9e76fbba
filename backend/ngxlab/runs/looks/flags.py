"""What checks have found in the trials of a run so far, for whoever watches it."""

from collections.abc import Sequence

from ngxlab.core.stored import read_or_none
from ngxlab.runs.models import Trial
from ngxlab.runs.schemas import RunFlag

_SEVERITIES = ("warning", "error")
_TOLD = ("key", "severity", "title", "message", "remedy")


def flags_of(trials: Sequence[Trial]) -> list[RunFlag]:
    """One for each check that warns or fails, errors first. ``trials``: the latest attempts. The message is that of the
    latest trial with the worst severity."""
    flags: dict[str, RunFlag] = {}
    for trial in trials:
        for stored in trial.checks or []:
            if not isinstance(stored, dict) or stored.get("severity") not in _SEVERITIES:
                continue
            told = {name: stored.get(name) for name in _TOLD}
            flag = read_or_none(RunFlag, {**told, "trial_ids": [trial.id]}, "A check of a trial")
            if flag is not None:
                flags[flag.key] = _worse(flags.get(flag.key), flag)
    return sorted(flags.values(), key=lambda flag: flag.severity != "error")


def _worse(known: RunFlag | None, flag: RunFlag) -> RunFlag:
    """The later one, unless an earlier trial had an error and it is a warning; of all their trials."""
    if known is None:
        return flag
    shown = known if (known.severity, flag.severity) == ("error", "warning") else flag
    return shown.model_copy(update={"trial_ids": [*known.trial_ids, *flag.trial_ids]})
