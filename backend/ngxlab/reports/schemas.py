"""Payloads of reports."""

from datetime import datetime
from uuid import UUID

from ngxlab_contracts.hosts import HostRole, Inventory
from ngxlab_contracts.sentences import Sentence
from pydantic import BaseModel, Field

from ngxlab.analysis.gates import Outcome, ThresholdResult
from ngxlab.analysis.schemas import LatencySummary, RunAnalysis, Sizing, TrialSummary, Why
from ngxlab.analysis.series.schemas import SeriesInfo
from ngxlab.definition.preview.schemas import ArmPreview
from ngxlab.notes.schemas import NoteOut
from ngxlab.runs.schemas import FormerJudgement, RawRemoved, RunPlan, RunRevision, RunWindows, TrialOut
from ngxlab.runs.states import RunState
from ngxlab.templates.base import Source
from ngxlab.templates.findings import TemplateFindings


class ReportRun(BaseModel):
    """The facts of the run, without the names of people."""

    id: UUID
    experiment_id: UUID
    experiment_name: str
    version: int
    number: int
    state: RunState
    state_reason: Sentence | None
    note: str | None
    revision: RunRevision | None = Field(default=None, description="what of a repository it measures, where it is said")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    seed: int
    question: str
    plan: RunPlan
    raw_removed: RawRemoved | None = Field(default=None, description="that its raw data was removed")


class ReportTemplate(BaseModel):
    """The built-in template that the experiment came from, with the explanation of its mechanism."""

    key: str
    title: str
    mechanism: str
    source: Source
    parameters: dict[str, str | int | float | bool]


class ReportHost(BaseModel):
    """A host as it was when the run was created. Its network addresses are left out."""

    name: str
    slots: list[str]
    roles: list[HostRole]
    inventory: Inventory | None = Field(description="missing where the stored one cannot be read")


class ReportTrial(BaseModel):
    trial: TrialOut
    summary: TrialSummary


class HeatTrial(BaseModel):
    """A trial of a heat, which chose arms: no verdict, no check and no chart has it."""

    trial: TrialOut
    usable: bool = Field(description="whether the heat was judged by it")
    unusable_reason: str | None
    requests_per_s: float | None
    latency: LatencySummary | None


class Badge(BaseModel):
    """A property of the measurement that a reader must know, e.g. "service time under closed loop"."""

    key: str
    label: str
    help: str


class Judged(BaseModel):
    method: int = Field(description="the version of the method (docs/method.md)")
    at: datetime = Field(description="when it said this first")


class Report(BaseModel):
    """Everything on a report's page except the points of its time series. ``findings``: the template's part, if any."""

    run: ReportRun
    template: ReportTemplate | None
    analysis: RunAnalysis
    findings: TemplateFindings | None
    sizing: Sizing | None = Field(
        default=None,
        description="what the host serves at several goals; None where no stream searches for its capacity or draws a "
        "curve",
    )
    why: list[Why] = Field(
        default=[],
        description="why arms differ, where a profile or the phases of requests tell; decides nothing",
    )
    windows: RunWindows = Field(description="the measured windows, and who chose others than planned")
    thresholds: list[ThresholdResult]
    outcome: Outcome | None
    badges: list[Badge]
    arms: list[ArmPreview]
    trials: list[ReportTrial]
    heat_trials: list[HeatTrial] = Field(default=[], description="those that chose the arms, in their order")
    notes: list[NoteOut] = Field(description="what people wrote of the run and its trials, the oldest first")
    hosts: list[ReportHost]
    catalogue: list[SeriesInfo]
    judged: Judged | None = Field(default=None, description="by which version of the method, once the run is over")
    judged_before: list[FormerJudgement] = Field(
        default=[],
        description="what earlier versions of the method said, where it was something else; the latest first",
    )
    unreadable: list[str] = Field(description="trials whose stored data cannot be analysed, and why")
