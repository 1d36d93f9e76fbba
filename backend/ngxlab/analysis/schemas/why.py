"""Why an arm differs from the baseline."""

from typing import Literal

from ngxlab_contracts.sentences import Sentence
from pydantic import Field

from ngxlab.analysis.schemas.metric import AnalysisModel, MetricKey

EvidenceKind = Literal["function", "phase", "limit", "metric"]
Found = Literal["cause", "no_cause", "not_profiled"]


class WhyEvidence(AnalysisModel):
    """A piece of evidence. ``key``: the function, the phase of a request, the resource, or the metric."""

    kind: EvidenceKind = Field(
        description="function: of the profile; phase: of a request; limit: what limited an arm; metric: one that "
        "changed, too"
    )
    key: str
    text: Sentence


class Why(AnalysisModel):
    """Why claims of an arm say what they say. ``metrics``: those that it is said of. ``evidence``: three pieces at
    most."""

    arm: str
    metrics: list[MetricKey]
    stream: str | None = Field(default=None, description="the one stream whose claims they are; None: of all together")
    found: Found = Field(
        description="cause: a profile, the phases of its requests, or what was counted account for the difference; "
        "no_cause: nothing that is known accounts for it; not_profiled: the arms have no two profiles each"
    )
    text: Sentence = Field(description="in a line; of what merely changed, too, it says: goes with")
    evidence: list[WhyEvidence]
