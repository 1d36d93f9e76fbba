"""What is told of a moment of a trial."""

from typing import Literal

from ngxlab_contracts.sentences import Sentence
from pydantic import Field

from ngxlab.analysis.series.schemas import DerivedModel


class MomentEvent(DerivedModel):
    """Something that a host reported. ``kind``: what told it."""

    kind: Literal["phase", "note", "process", "log"] = Field(
        description="phase: of the trial; note: of the agent; process: one of nginx's began; log: a line of nginx's "
        "error log, whose clock tells whole seconds"
    )
    t_s: float = Field(description="when, in seconds since the start of the measured window")
    until_s: float = Field(description="it was between ``t_s`` and then")
    host: str = Field(description="name of the host that told it")
    text: Sentence


class MomentJump(DerivedModel):
    """A line of a chart that stood out: far beyond what it does within ten times the span before and after."""

    key: str = Field(description="entry of the catalogue, e.g. cpu_share")
    label: str = Field(
        description="the line within the chart; ``other processes``: CPU time that nothing of the trial used"
    )
    unit: str
    t_s: float = Field(description="when, in seconds since the start of the measured window")
    value: float = Field(description="the value farthest from the usual one")
    usual: float = Field(description="the median of the same line before and after")
