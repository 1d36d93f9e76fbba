"""Payloads of the audit log."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from ngxlab.audit.acts import Act
from ngxlab.audit.record import ActorKind

_SearchText = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]
_Instant = Annotated[AwareDatetime, Field(ge=datetime(2000, 1, 1, tzinfo=UTC), le=datetime(3000, 1, 1, tzinfo=UTC))]


class AuditFilter(BaseModel):
    """Which entries. ``actor`` and ``object``: part of a name, in any case, or a whole id. ``since`` is included,
    ``until`` is not. ``start``: the id of the entry after which to continue.
    """

    model_config = ConfigDict(extra="forbid")

    actor: _SearchText = ""
    object: _SearchText = ""
    act: Annotated[list[Act], Field(max_length=50)] = []
    since: _Instant | None = None
    until: _Instant | None = None
    start: Annotated[int, Field(ge=1, le=2**63 - 1)] | None = None


class AuditQuery(AuditFilter):
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class AuditExportQuery(AuditFilter):
    format: Literal["csv", "json"] = "csv"


class AuditEntryOut(BaseModel):
    """``count``: how often it happened in all; ``last_at``: when for the last time, for what is entered once."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    at: datetime
    actor_kind: ActorKind
    actor_id: UUID | None
    actor_name: str
    actor_token: str | None
    act: str
    object_kind: str | None
    object_id: UUID | None
    object_name: str | None
    detail: dict[str, Any]
    address: str | None
    request_id: str | None
    count: int = 1
    last_at: datetime | None = None
