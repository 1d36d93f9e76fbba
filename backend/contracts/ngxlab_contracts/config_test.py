"""Test the configurations of all arms with the real nginx of a target, and see its first answers, before a run."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from ngxlab_contracts.answers import MOST_ANSWERS, FirstAnswer
from ngxlab_contracts.base import ExactMessage, Message
from ngxlab_contracts.protocol import FIRST, ProtocolText, since
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.trials import NginxSpec, UpstreamServerSpec


class ArmConfig(Message):
    """``streams``: of which one real request each is sent, while nginx and ``upstream_servers`` run on this host; none
    for a test of the configuration alone."""

    arm: str
    nginx: NginxSpec
    upstream_servers: list[UpstreamServerSpec] = Field(default_factory=list, json_schema_extra=since(1))
    streams: list[StreamSpec] = Field(default_factory=list, json_schema_extra=since(1))


class ConfigTestSpec(Message):
    """Fetched by the agent: ``GET /agent/config-tests/{id}``. Loopback addresses replace those of upstream
    servers. ``requires``: as in :class:`~ngxlab_contracts.trials.TrialSpec`."""

    test_id: UUID
    arms: list[ArmConfig]
    requires: ProtocolText = str(FIRST)


class ConfigFinding(ExactMessage):
    """A message of ``nginx -t``. ``line`` counts from 1 in the arm's rendered configuration; None if it names none."""

    severity: str = Field(description="nginx's own level: emerg, alert, crit, error, warn")
    message: str
    line: int | None


class ArmVerdict(ExactMessage):
    """``unanswered``: why the arm's requests were not sent, or not all of them."""

    arm: str
    accepted: bool
    findings: list[ConfigFinding]
    answers: Annotated[list[FirstAnswer], Field(max_length=MOST_ANSWERS)] = Field(default_factory=list)
    unanswered: Annotated[str, Field(max_length=2000)] | None = None


class ConfigTestResult(ExactMessage):
    """Posted by the agent: ``POST /agent/config-tests/{id}``. ``failure``: why nothing could be tested, else None."""

    verdicts: list[ArmVerdict]
    failure: str | None = None
