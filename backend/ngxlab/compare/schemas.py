"""Payloads of comparisons across runs."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from ngxlab_contracts.sentences import Sentence
from pydantic import BaseModel, Field

from ngxlab.analysis.gates import Outcome
from ngxlab.analysis.run_comparison import AcrossRuns
from ngxlab.analysis.schemas import VerdictState
from ngxlab.runs.states import RunState


class ComparedRun(BaseModel):
    id: UUID
    experiment_id: UUID
    experiment_name: str
    version: int
    number: int
    label: str = Field(description="its name in this comparison")
    state: RunState
    started_at: datetime | None
    hosts: list[str]
    note: str | None
    verdict: VerdictState | None
    qualification: Sentence = Field(description="preview or partial run, and its checks, in words")
    unusable: Sentence | None = Field(description="why nothing of it can be compared")


class ArmTrial(BaseModel):
    """A trial whose series may be drawn."""

    id: UUID
    block: int


class ComparedArm(BaseModel):
    """An arm of one of the runs. ``against``: the arm that it is compared with; ``None`` for a baseline."""

    key: str = Field(description="RUN:ARM")
    run_id: UUID
    arm: str
    label: str
    name: str = Field(description="with that of its run")
    selected: bool
    against: str | None
    refused: Sentence | None = Field(description="why it cannot be compared")
    paired: bool = Field(description="with an arm of the same run, block by block")
    beside: list[Sentence] = Field(
        description="what else differs from ``against``, besides the factors under comparison"
    )
    trials: list[ArmTrial]


DifferenceRole = Literal["factor", "confounder"]


class Difference(BaseModel):
    """A fact of the set-up in which arms differ."""

    key: str
    title: Sentence
    role: DifferenceRole
    values: dict[str, Sentence] = Field(description="by the arm's key; absent where it is unknown")


class SetupDiff(BaseModel):
    """Two texts compared line by line."""

    what: Literal["definition", "configuration"]
    before: str = Field(description="the run or arm on the left, ready to print")
    after: str
    text: str = Field(description="unified diff")


class RunComparison(BaseModel):
    """Runs compared: first what differs in set-up, then what may be said of their arms."""

    runs: list[ComparedRun]
    arms: list[ComparedArm]
    baseline: str = Field(description="RUN: its arms are the baselines of the arms of the same name; or RUN:ARM")
    differences: list[Difference]
    diffs: list[SetupDiff]
    analysis: AcrossRuns
    outcome: Outcome = Field(description="pass: no arm is worse in a primary metric; fail: one is")
    notes: list[Sentence] = Field(description="how it was compared, and what the intervals do not show, in words")
