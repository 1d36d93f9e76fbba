"""What a run and its trials have stored, as models. Each function raises :class:`Unreadable` and names what it is."""

from ngxlab_contracts.trials import TrialSpec

from ngxlab.core.stored import read
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments import readable as experiments
from ngxlab.runs.models import Run, Trial, TrialHost


def definition_of(run: Run) -> Definition:
    """As of the version that the run executes."""
    return experiments.definition_of(run.version)


def spec_of(trial: Trial, trial_host: TrialHost) -> TrialSpec:
    """What one host has to do."""
    return read(TrialSpec, trial_host.spec, f"What a host has to do in trial {trial.position + 1} ({trial.arm})")
