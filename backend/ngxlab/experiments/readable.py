"""A stored version as a definition."""

from ngxlab.core.stored import read
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments.models import ExperimentVersion


def definition_of(version: ExperimentVersion) -> Definition:
    """Raises Unreadable, with the version's number."""
    return read(Definition, version.definition, f"Version {version.number} of this experiment")
