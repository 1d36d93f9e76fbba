"""/notifications: where you are told that a run has ended or a host is away."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Request, status

from ngxlab.accounts.access import ExperimenterInPerson
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Object, record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import Conflict, TooManyRequests, responses
from ngxlab.notifications import service
from ngxlab.notifications.schemas import (
    ChannelCreate,
    ChannelCreated,
    ChannelOut,
    ChannelUpdate,
    NotificationSettings,
    WebhookMessage,
)
from ngxlab.notifications.webhook import named

router = APIRouter(route_class=GuardedRoute, prefix="/notifications", tags=["notifications"])
webhooks = APIRouter(tags=["notifications"])
"""What ngxlab sends, for the API's document; it is called nowhere."""


@webhooks.post("notification", operation_id="receive_notification", status_code=status.HTTP_204_NO_CONTENT)
async def receive_notification(
    body: WebhookMessage,
    webhook_id: Annotated[str, Header(description="The message's id, the same at each attempt.")],
    webhook_timestamp: Annotated[int, Header(description="When this attempt was made, in seconds since 1970.")],
    webhook_signature: Annotated[str, Header(description="`v1,` and the HMAC-SHA256 of `id.timestamp.body`, base64.")],
) -> None:
    """Receive a message. Any 2xx within eight seconds ends it; all else is tried again for about a day."""


def _object(channel_id: UUID, target: str) -> Object:
    """A webhook's URL may hold a secret, so the audit log has its host only."""
    return Object("channel", channel_id, named(target))


@router.get("")
async def get_notifications(
    request: Request, session: SessionDep, caller: ExperimenterInPerson
) -> NotificationSettings:
    """Your own channels, each with its last delivery; and whether this installation sends e-mail."""
    return await service.read(session, request.app.state.settings, caller.account)


@router.post("/channels", status_code=status.HTTP_201_CREATED, responses=responses(Conflict))
async def create_channel(
    body: ChannelCreate, request: Request, session: SessionDep, caller: ExperimenterInPerson
) -> ChannelCreated:
    """Be told by e-mail to your own address, or by a webhook; only this answer contains the webhook's secret."""
    made = await service.create(session, request.app.state.settings, caller.account, body)
    on = _object(made.id, made.target)
    await record(session, caller.actor, Act.channel_created, on, kind=made.kind, runs=made.runs, hosts=made.hosts)
    return made


@router.patch("/channels/{channel_id:uuid}")
async def update_channel(
    channel_id: UUID, body: ChannelUpdate, session: SessionDep, caller: ExperimenterInPerson
) -> ChannelOut:
    """Choose what one of your channels tells you."""
    changed = await service.update(session, caller, channel_id, body)
    what = body.model_dump(exclude_none=True)
    await record(session, caller.actor, Act.channel_changed, _object(changed.id, changed.target), **what)
    return changed


@router.delete("/channels/{channel_id:uuid}", status_code=status.HTTP_204_NO_CONTENT)
async def remove_channel(channel_id: UUID, session: SessionDep, caller: ExperimenterInPerson) -> None:
    """Remove one of your channels, with what is still to be delivered through it."""
    channel = await service.own(session, caller, channel_id)
    on = _object(channel.id, channel.url or caller.account.email)
    await session.delete(channel)
    await record(session, caller.actor, Act.channel_removed, on)


@router.post(
    "/channels/{channel_id:uuid}/test", status_code=status.HTTP_202_ACCEPTED, responses=responses(TooManyRequests)
)
async def send_test(channel_id: UUID, session: SessionDep, caller: ExperimenterInPerson) -> ChannelOut:
    """Send a test through one of your channels within seconds; its outcome is then in the list."""
    return await service.send_test(session, caller, channel_id)
