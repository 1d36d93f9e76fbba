"""Payloads of "test on the host"."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field, model_validator

from ngxlab.core.payload import Id, Payload
from ngxlab.definition.preview.schemas import RawDefinition

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


class ArmConfigTest(BaseModel):
    arm: str
    nginx: str = Field(description="path of the nginx that tested it")
    accepted: bool
    findings: list[ArmConfigFinding]


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
