"""Payloads of notifications."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, Field

from ngxlab.core.payload import Choice, OneLine, Payload
from ngxlab.notifications.webhook import MAX_URL
from ngxlab.outbox.models import ChannelKind, Notification, NotificationKind
from ngxlab.runs.states import RunState


class ChannelCreate(Payload):
    """``url``: of a webhook; e-mail goes to the account's own address."""

    kind: Choice[ChannelKind]
    url: Annotated[OneLine, Field(max_length=MAX_URL)] | None = None
    runs: bool = Field(default=True, description="tell when one of your runs ends, or a scheduled one does not start")
    hosts: bool = Field(default=True, description="tell when one of your hosts goes away, or comes back")


class ChannelUpdate(Payload):
    runs: bool | None = None
    hosts: bool | None = None


class ToldThing(BaseModel):
    """An experiment or a host that a message is about."""

    id: UUID
    name: str


class ToldRun(BaseModel):
    """A run as it ended. ``headline``, ``verdict`` and ``outcome`` are null where it has gone on since."""

    id: UUID
    number: int
    experiment: str
    state: RunState
    reason: str | None
    headline: str | None
    verdict: str | None
    outcome: str | None


class WebhookData(BaseModel):
    """``title`` and ``text`` are for people; ``url`` is that of a page."""

    title: str
    text: str
    url: str
    run: ToldRun | None = Field(default=None, description="with `run.ended`, unless the run is gone")
    experiment: ToldThing | None = Field(default=None, description="with `schedule.not_started`")
    host: ToldThing | None = Field(default=None, description="with `host.away` and `host.back`")


class WebhookMessage(BaseModel):
    """The body of a webhook, and of each attempt to deliver it."""

    type: NotificationKind
    timestamp: str = Field(description="when it happened", json_schema_extra={"format": "date-time"})
    data: WebhookData


class LastDelivery(BaseModel):
    """The newest notification of a channel. It is on its way while it is neither delivered nor given up."""

    kind: NotificationKind
    created_at: datetime
    attempts: int
    last_attempt_at: datetime | None
    delivered_at: datetime | None
    next_attempt_at: datetime | None = Field(description="when it is tried next; None once delivered or given up")
    error: str | None = Field(description="what went wrong at the last attempt")

    @classmethod
    def of(cls, stored: Notification) -> Self:
        return cls(
            kind=NotificationKind(stored.kind),
            created_at=stored.created_at,
            attempts=stored.attempts,
            last_attempt_at=stored.last_attempt_at,
            delivered_at=stored.delivered_at,
            next_attempt_at=stored.next_attempt_at,
            error=stored.last_error,
        )


class ChannelOut(BaseModel):
    """Where somebody is told. ``target``: the address of an e-mail, or the URL of a webhook."""

    id: UUID
    kind: ChannelKind
    target: str
    runs: bool
    hosts: bool
    created_at: datetime
    last: LastDelivery | None


class ChannelCreated(ChannelOut):
    secret: str | None = Field(description="signs the webhook's bodies; only this answer contains it")


class NotificationSettings(BaseModel):
    """Where you are told."""

    email_off: str | None = Field(description="why this installation sends no e-mail; None where it does")
    channels: list[ChannelOut]
