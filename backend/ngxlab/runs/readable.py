"""What a run and its trials have stored, as models. Each function raises :class:`Unreadable` and names what it is."""

from ngxlab_contracts.trials import TrialSpec

from ngxlab.core.errors import Conflict
from ngxlab.core.stored_json import read
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments import models as experiments
from ngxlab.runs.models import Run, Trial, TrialHost


def definition_of(run: Run) -> Definition:
    """As of the version that the run executes."""
    return experiments.definition_of(run.version)


def require_raw_data(run: Run) -> None:
    """Raises Conflict where the raw data of the run was removed."""
    if run.raw_removed_at is not None:
        raise Conflict(raw_removed_words(run), code="raw-data-removed")


def raw_removed_words(run: Run) -> str:
    """Why what is drawn or computed from raw data cannot be had."""
    days = run.raw_removed_days
    by = "with the history of a host" if days is None else f"by the rule of {days} days"
    return f"Raw data was removed on {run.raw_removed_at:%Y-%m-%d} {by}."


def spec_of(trial: Trial, trial_host: TrialHost) -> TrialSpec:
    """What one host has to do."""
    return read(TrialSpec, trial_host.spec, f"What a host has to do in trial {trial.position + 1} ({trial.arm})")
