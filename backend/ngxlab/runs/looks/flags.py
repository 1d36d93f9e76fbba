"""What checks have found in the trials of a run so far, for whoever watches it."""

from collections.abc import Sequence

from ngxlab.analysis.schemas import CheckResult
from ngxlab.core.stored import read_or_none
from ngxlab.runs.models import Trial
from ngxlab.runs.schemas import RunFlag

_SEVERITIES = ("warning", "error")


def flags_of(trials: Sequence[Trial]) -> list[RunFlag]:
    """One for each check that warns or fails, errors first. ``trials``: the latest attempts. The message is that of the
    latest trial with the worst severity."""
    flags: dict[str, RunFlag] = {}
    for trial in trials:
        for stored in trial.checks or []:
            check = read_or_none(CheckResult, stored, "A check of a trial")
            if check is not None and check.severity in _SEVERITIES:
                flags[check.key] = _worse(flags.get(check.key), trial, check)
    return sorted(flags.values(), key=lambda flag: flag.severity != "error")


def _worse(known: RunFlag | None, trial: Trial, check: CheckResult) -> RunFlag:
    trials = [*(known.trial_ids if known else []), trial.id]
    if known is not None and known.severity == "error" and check.severity == "warning":
        return known.model_copy(update={"trial_ids": trials})
    told = check.model_dump(include={"key", "severity", "title", "message", "remedy"})
    return RunFlag.model_validate({**told, "trial_ids": trials})
