"""Test the configurations of all arms with the real nginx of a target, before a run starts."""

from uuid import UUID

from pydantic import Field

from ngxlab_contracts.base import ExactMessage, Message
from ngxlab_contracts.protocol import FIRST, ProtocolText
from ngxlab_contracts.trials import NginxSpec


class ArmConfig(Message):
    arm: str
    nginx: NginxSpec


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
    arm: str
    accepted: bool
    findings: list[ConfigFinding]


class ConfigTestResult(ExactMessage):
    """Posted by the agent: ``POST /agent/config-tests/{id}``. ``failure``: why nothing could be tested, else None."""

    verdicts: list[ArmVerdict]
    failure: str | None = None
