"""What this client reads of the REST API's answers; it ignores the rest, so that a newer server does not stop it."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict

FINAL_STATES = {"completed", "failed", "cancelled"}


class Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class FieldProblem(Answer):
    """One thing wrong. ``line`` counts within the field's text; ``arms``: those concerned, empty for all."""

    field: str
    message: str
    line: int | None = None
    arms: list[str] = []


class Problem(Answer):
    """An error answer (RFC 9457)."""

    detail: str = ""
    code: str = ""
    errors: list[FieldProblem] = []


class Account(Answer):
    email: str
    role: str


class Me(Answer):
    account: Account


class Host(Answer):
    id: UUID
    name: str
    state: str
    state_detail: str
    cpu_logical: int
    memory_bytes: int
    nginx_versions: list[str]
    wrk_version: str | None


class Arm(Answer):
    key: str
    label: str


class Plan(Answer):
    trials: int
    total_s: float


class Slot(Answer):
    slot: str


class Preview(Answer):
    """What a definition or a template with parameters would run, and what is wrong with it."""

    problems: list[FieldProblem]
    arms: list[Arm] = []
    plan: Plan | None = None
    slots: list[Slot] = []


class Parameter(Answer):
    name: str
    kind: str


class Template(Answer):
    key: str
    title: str
    parameters: list[Parameter]


class Experiment(Answer):
    id: UUID
    name: str
    version: int


class Progress(Answer):
    trials_done: int
    trials_total: int
    fraction: float
    block: int | None
    arm: str | None
    phase: str | None
    phase_ends_at: datetime | None
    ends_at: datetime | None
    waiting_for: str | None


class RunSummary(Answer):
    id: UUID
    experiment_id: UUID
    experiment_name: str
    version: int
    number: int
    state: str
    state_reason: str | None
    note: str | None
    created_at: datetime
    hosts: list[str]
    headline: str | None
    passed: bool | None = None

    @property
    def over(self) -> bool:
        return self.state in FINAL_STATES


class Run(RunSummary):
    seed: int
    server_time: datetime
    cancel_requested_at: datetime | None
    paused_at: datetime | None = None
    arms: list[Arm]
    progress: Progress


class RunPage(Answer):
    items: list[RunSummary]
    total: int


class Metric(Answer):
    key: str
    title: str
    unit: str


class Comparison(Answer):
    """Of an arm with the baseline; see the server's documentation for the scales."""

    scale: str
    estimate: float
    ci_low: float | None
    ci_high: float | None
    verdict: str
    text: str
    ci_text: str | None


class ArmMetric(Answer):
    metric: str
    mean: float | None
    comparison: Comparison | None


class ArmResult(Answer):
    key: str
    label: str
    is_baseline: bool
    usable_trials: int
    metrics: list[ArmMetric]


class Checks(Answer):
    text: str


class Analysis(Answer):
    headline: str
    metrics: list[Metric]
    arms: list[ArmResult]
    checks: Checks


class Threshold(Answer):
    """``passed`` is None where nothing can be said, and ``message`` says why."""

    text: str
    arm: str
    passed: bool | None
    observed: float | None
    message: str


class Report(Answer):
    analysis: Analysis
    thresholds: list[Threshold]
    passed: bool | None


class Share(Answer):
    url: str
    expires_at: datetime | None
