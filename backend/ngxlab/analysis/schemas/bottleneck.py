"""What limited an arm, by the USE method: utilisation, saturation, errors (docs/method.md, Bottleneck)."""

from typing import Literal

from ngxlab_contracts.sentences import Sentence
from pydantic import Field

from ngxlab.analysis.schemas.model import AnalysisModel

Resource = Literal[
    "generator CPU",
    "one worker",
    "all workers",
    "all CPUs of the target",
    "disk",
    "network device",
    "accept queue",
    "upstream servers",
]


class ResourceUse(AnalysisModel):
    """One resource in the measured window of a trial. ``None`` is "not measured", which is no zero."""

    resource: Resource
    utilisation_percent: float | None = Field(description="of the busiest one: thread, worker, disk, device, server")
    saturation_percent: float | None = Field(
        description="share of the time in which work waited: for a CPU, for the disk, for the upstream servers"
    )
    errors: int | None = Field(description="work that was turned away, e.g. connections that the queue had no room for")
    limits: bool
    evidence: Sentence


class Bottleneck(AnalysisModel):
    """Of one arm. ``resource``: ``None`` where none was found or nothing was measured: the evidence says which."""

    resource: Resource | None
    trials: int = Field(description="usable trials in which this was found")
    of_trials: int
    evidence: Sentence = Field(description="of the trial in the middle")
    resources: list[ResourceUse] = Field(description="all that were measured, of the same trial")
