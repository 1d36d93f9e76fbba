"""Payloads of hosts."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from ngxlab_contracts.hosts import Inventory
from pydantic import BaseModel, Field

from ngxlab.accounts.schemas import TeamName
from ngxlab.core.payload import Id, Payload

HostState = Literal["idle", "busy", "draining", "upgrade", "conflict", "no-redis", "no-room", "offline"]
"""``conflict``: several agents use its credential. ``upgrade``: agent and server do not understand each other."""


class HostNginx(BaseModel):
    """An nginx of a host. ``name``: the shortest that means it alone there, for levels and ``ngxlab run --nginx``."""

    name: str
    path: str
    version: str
    names: list[str] = Field(description="all that it answers to")


class HostSummary(BaseModel):
    """A row of the hosts list. ``heartbeat_age_s`` is ``None`` before the first heartbeat.

    What comes from the host's inventory is missing where the stored one cannot be read, until its agent starts again.
    """

    id: UUID
    name: str
    state: HostState
    state_detail: str
    heartbeat_age_s: float | None
    clock_offset_us: int | None
    clock_rtt_us: int | None
    draining: bool
    team: TeamName | None = Field(description="who alone may run on it; missing where everybody may")
    run_id: UUID | None
    active_trial_id: UUID | None
    cpu_logical: int | None
    memory_bytes: int | None
    os: str | None
    nginx_versions: list[str]
    nginx: list[HostNginx] = Field(description="the one that runs where nothing else is chosen comes first")
    wrk_version: str | None
    agent_version: str
    protocol: str = Field(description="version of the messages between agent and server, MAJOR.MINOR")
    upgrade: str | None = Field(description="that agent and server have different versions, which may be harmless")
    created_at: datetime


class HostDetail(HostSummary):
    inventory: Inventory | None = Field(description="missing where the stored one cannot be read")
    inventory_at: datetime
    upgrade_command: str | None = Field(
        description="the line that upgrades its agent, run as root on the host; missing where it needs none"
    )


class EnrolmentTokenCreate(Payload):
    expires_in_minutes: Annotated[int, Field(ge=1, le=7 * 24 * 60)] = 60


class EnrolmentTokenCreated(BaseModel):
    """Shown once. ``command``: the command to run on the new host."""

    token: str
    command: str
    expires_at: datetime


class HostTeam(Payload):
    """``null`` lets everybody run on it."""

    team_id: Id | None


class DrainRequest(Payload):
    """A draining host finishes its run and accepts no new one."""

    draining: bool
