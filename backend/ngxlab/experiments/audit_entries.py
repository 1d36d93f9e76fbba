"""What the audit log calls an experiment."""

from ngxlab.audit.record import Object
from ngxlab.experiments.schemas import ExperimentDetail


def experiment_object(experiment: ExperimentDetail) -> Object:
    return Object("experiment", experiment.id, experiment.name)
