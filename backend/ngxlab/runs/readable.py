"""What a run and its trials have stored, as models. Each function raises :class:`Unreadable` and names what it is."""

from ngxlab_contracts.trials import TrialSpec

from ngxlab.core.errors import Conflict
from ngxlab.core.stored import read
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments import readable as experiments
from ngxlab.runs.models import Run, Trial, TrialHost


def definition_of(run: Run) -> Definition:
    """As of the version that the run executes."""
    return experiments.definition_of(run.version)


def require_raw_data(run: Run) -> None:
    """Raises Conflict where a rule removed the raw data of the run."""
    if run.raw_removed_at is not None:
        raise Conflict(raw_removed_words(run), code="raw-data-removed")


def raw_removed_words(run: Run) -> str:
    """Why what is drawn or computed from raw data cannot be had."""
    return f"Raw data was removed on {run.raw_removed_at:%Y-%m-%d} by the rule of {run.raw_removed_days} days."


def spec_of(trial: Trial, trial_host: TrialHost) -> TrialSpec:
    """What one host has to do."""
    return read(TrialSpec, trial_host.spec, f"What a host has to do in trial {trial.position + 1} ({trial.arm})")
