"""Payloads of experiments."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ngxlab_contracts.sentences import Sentence
from pydantic import BaseModel, Field, model_validator

from ngxlab.accounts.schemas import TeamName
from ngxlab.core.payload import MOST_ROWS, Id, Payload
from ngxlab.definition.preview.schemas import ArmPreview, PlanPreview, RawDefinition
from ngxlab.definition.schema.base import ExperimentName
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import LevelValue


class ExperimentCreate(Payload):
    """A built-in template with parameters, or a definition of your own."""

    name: ExperimentName
    template_key: str | None = None
    parameters: dict[str, LevelValue] = {}
    definition: RawDefinition | None = None
    team_id: Id | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "ExperimentCreate":
        if (self.template_key is None) == (self.definition is None):
            raise ValueError("give either template_key or definition")
        if self.parameters and self.template_key is None:
            raise ValueError("parameters belong to a template; leave them out with a definition")
        return self


class ExperimentUpdate(Payload):
    """``team_id``: ``null`` gives it to everybody."""

    name: ExperimentName | None = None
    archived: bool | None = None
    team_id: Id | None = None


class ExperimentSummary(BaseModel):
    id: UUID
    name: str
    template_key: str | None
    created_at: datetime
    created_by: str
    archived_at: datetime | None
    team: TeamName | None


class ExperimentDetail(BaseModel):
    id: UUID
    name: str
    template_key: str | None
    created_at: datetime
    created_by: str
    archived_at: datetime | None
    team: TeamName | None
    may_edit: bool
    version_id: UUID
    version: int
    definition: Definition
    arms: list[ArmPreview]
    plan: PlanPreview


class DefinitionUpdate(Payload):
    """``base_version``: the version that was edited, so that nobody overwrites a newer one unseen."""

    base_version: Annotated[int, Field(ge=1, le=MOST_ROWS)]
    definition: RawDefinition
    name: ExperimentName | None = None


class EditingRequest(Payload):
    """``editor``: an id that the page made for itself. ``base_version``: the version that it edits."""

    editor: Id
    base_version: Annotated[int, Field(ge=1, le=MOST_ROWS)]


class Editor(BaseModel):
    """Another page in which the experiment is edited.

    ``is_self``: whether it is the caller's own. ``version``: the one that is edited there.
    """

    name: str
    is_self: bool
    version: int


class Editing(BaseModel):
    """The newest version, and who else edits the experiment.

    ``version``, ``saved_at``, ``saved_by``: the newest. ``now``: the server's time. ``others``: ``None`` where that is
    unknown, since Redis is away.
    """

    version: int
    saved_at: datetime
    saved_by: str
    now: datetime
    others: list[Editor] | None


class VersionSummary(BaseModel):
    id: UUID
    number: int
    created_at: datetime
    created_by: str


class VersionDetail(VersionSummary):
    definition: Definition
    arms: list[ArmPreview]
    plan: PlanPreview


class FieldChange(BaseModel):
    """``path`` is dotted, as in problems; ``None`` on the side where the field is missing."""

    path: str
    before: Any
    after: Any


class VersionDiff(BaseModel):
    """``text`` is a unified diff of the two versions' YAML; empty if they are the same."""

    before: int
    after: int
    text: str
    changes: list[FieldChange]


class CloneRequest(Payload):
    """``version``: the one to copy; the latest if not given."""

    name: ExperimentName
    version: Annotated[int, Field(ge=1, le=MOST_ROWS)] | None = None


ConfigTestState = Literal["pending", "done", "failed"]


class ConfigTestCreate(Payload):
    """A definition as it is in the editor, or the latest version of a saved experiment.

    ``nginx``: the binaries of slots and builds, as for starting a run.
    """

    host_id: Id
    nginx: dict[str, str] = {}
    definition: RawDefinition | None = None
    experiment_id: Id | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> "ConfigTestCreate":
        if (self.definition is None) == (self.experiment_id is None):
            raise ValueError("give either definition or experiment_id")
        return self


class ArmConfigFinding(BaseModel):
    """A message of nginx about one arm.

    ``field`` and ``line`` lead to the line of the definition's fragment, None if the message is about a part that
    ngxlab wrote; ``rendered_line`` is the line in the arm's whole configuration.
    """

    arm: str
    severity: str
    message: str
    field: str | None
    line: int | None
    rendered_line: int | None


class FirstAnswerOut(BaseModel):
    """What the nginx of an arm answered to one real request of a stream.

    ``text``: in one line. ``departures``: what is not as the stream or its files declare it. ``differences``: from the
    baseline's answer to the same request.
    """

    stream: str
    method: str
    path: str
    status: int | None = Field(description="None where no answer came")
    content_type: str | None
    content_encoding: str | None
    body_bytes: int | None
    failure: str | None = Field(description="why no answer came")
    text: str
    departures: list[Sentence]
    differences: list[Sentence]


class ArmConfigTest(BaseModel):
    """``unanswered``: why the arm's requests were not sent, or not all of them."""

    arm: str
    nginx: str = Field(description="path of the nginx that tested it")
    accepted: bool
    findings: list[ArmConfigFinding]
    answers: list[FirstAnswerOut] = []
    unanswered: str | None = None


class ConfigTestOut(BaseModel):
    """``accepted``: nginx accepts every arm; None while unknown. ``reason`` says why a test failed."""

    id: UUID
    host_id: UUID
    host_name: str
    state: ConfigTestState
    reason: str | None
    created_at: datetime
    accepted: bool | None
    arms: list[ArmConfigTest]
