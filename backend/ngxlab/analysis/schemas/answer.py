"""What a run answers, a row for each primary metric."""

from typing import Literal

from ngxlab_contracts.sentences import Sentence
from pydantic import Field

from ngxlab.analysis.schemas.comparison import Verdict
from ngxlab.analysis.schemas.metric import MetricKey
from ngxlab.analysis.schemas.model import AnalysisModel

Sign = Literal["yes", "no", "equal", "mixed", "open", "not_valid"]
"""``equal``: within the margin in the arms that are decided. ``mixed``: some arms are better, some worse. ``open``:
nothing is decided."""


class ArmAnswer(AnalysisModel):
    arm: str
    verdict: Verdict | None = Field(description="None where no comparison was possible")
    text: Sentence = Field(description="the change ready to print: +12 %, 1.73 → 0.06; or why there is none")


class Answer(AnalysisModel):
    """One question, answered for all arms beside the baseline."""

    metric: MetricKey
    stream: str | None = None
    question: Sentence = Field(description="in a few words: More requests/s?")
    sign: Sign
    word: Sentence = Field(
        description="the answer: Yes; No, fewer; Not decided; Yes with reuseport; Yes with 3 of 5 arms"
    )
    text: Sentence = Field(description="figures behind it, the arms named in backticks if there are several")
    arms: list[ArmAnswer]
