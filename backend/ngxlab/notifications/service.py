"""Where somebody wants to be told: their own channels, and nobody else's."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository as accounts
from ngxlab.accounts.access import Caller
from ngxlab.accounts.models import Account
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.errors import Conflict, NotFound, TooManyRequests, invalid
from ngxlab.core.rehearsal import require_real
from ngxlab.notifications import delivery, webhook
from ngxlab.notifications.schemas import (
    ChannelCreate,
    ChannelCreated,
    ChannelOut,
    ChannelUpdate,
    LastDelivery,
    NotificationSettings,
)
from ngxlab.outbox import repository
from ngxlab.outbox.models import ChannelKind, Notification, NotificationChannel, NotificationKind
from ngxlab.outbox.repository import add

_MOST_CHANNELS = 10
_BETWEEN_TESTS = timedelta(seconds=5)


def email_off(settings: Settings) -> str | None:
    """Why there is no e-mail, as a sentence."""
    return delivery.OFF if settings.smtp_host is None else None


async def read(session: AsyncSession, settings: Settings, account: Account) -> NotificationSettings:
    latest = await repository.latest_by_channel(session, account.id)
    found = await repository.channels_of(session, account.id)
    shown = [_shown(channel, latest.get(channel.id)) for channel in found]
    return NotificationSettings(email_off=email_off(settings), channels=shown)


def _shown(channel: NotificationChannel, last: Notification | None) -> ChannelOut:
    return ChannelOut(
        id=channel.id,
        kind=ChannelKind(channel.kind),
        target=channel.url or channel.account.email,
        runs=channel.runs,
        hosts=channel.hosts,
        created_at=channel.created_at,
        last=LastDelivery.of(last) if last else None,
    )


async def create(session: AsyncSession, settings: Settings, account: Account, request: ChannelCreate) -> ChannelCreated:
    """Raises Invalid for a URL that is not called, Conflict for a second e-mail, one too many, or no mail server."""
    await accounts.locked_account(session, account.id)  # so that two requests at once are counted
    existing = await repository.channels_of(session, account.id)
    if len(existing) >= _MOST_CHANNELS:
        raise Conflict("You have {most} already. Remove one first.", most=_MOST_CHANNELS, code="too-many-channels")
    channel = NotificationChannel(
        account_id=account.id, kind=request.kind, runs=request.runs, hosts=request.hosts, account=account
    )
    if request.kind == ChannelKind.webhook:
        channel.url, channel.secret = _sound_url(request.url, settings), webhook.new_secret()
    else:
        _require_email(settings, request, existing)
    session.add(channel)
    await session.flush()
    await session.refresh(channel, ["created_at"])
    return ChannelCreated(**_shown(channel, None).model_dump(), secret=channel.secret)


def _sound_url(url: str | None, settings: Settings) -> str:
    if url is None:
        raise invalid("url", "Give the URL of the webhook.")
    try:
        webhook.checked(url, settings.webhook_networks)
    except webhook.Refused as error:
        raise invalid("url", error.args[0]) from error
    return url


def _require_email(settings: Settings, request: ChannelCreate, existing: Sequence[NotificationChannel]) -> None:
    if request.url is not None:
        raise invalid("url", "E-mail goes to the address of your account; leave the URL out.")
    if (off := email_off(settings)) is not None:
        raise Conflict(off, code="email-off")
    if any(channel.kind == ChannelKind.email for channel in existing):
        raise Conflict("You get e-mail already.", code="email-exists")


async def own(session: AsyncSession, caller: Caller, channel_id: UUID) -> NotificationChannel:
    """Raises NotFound, also where it is somebody else's: administrators need not know its URL, which may be secret."""
    channel = await repository.channel(session, channel_id)
    if channel is None or channel.account_id != caller.account.id:
        raise NotFound("You have no such channel.")
    return channel


async def update(session: AsyncSession, caller: Caller, channel_id: UUID, request: ChannelUpdate) -> ChannelOut:
    channel = await own(session, caller, channel_id)
    channel.runs = channel.runs if request.runs is None else request.runs
    channel.hosts = channel.hosts if request.hosts is None else request.hosts
    latest = await repository.latest_by_channel(session, caller.account.id)
    return _shown(channel, latest.get(channel.id))


async def send_test(session: AsyncSession, caller: Caller, channel_id: UUID) -> ChannelOut:
    """Queue a test. Raises TooManyRequests while another is on its way, or has just been."""
    await require_real(session)
    channel = await own(session, caller, channel_id)
    last = (await repository.latest_by_channel(session, caller.account.id)).get(channel.id)
    now = utcnow()
    if last is not None and last.kind == NotificationKind.test:
        wait = max(last.next_attempt_at or now, last.created_at + _BETWEEN_TESTS) - now
        if last.next_attempt_at is not None or wait > timedelta(0):
            seconds = max(1.0, wait.total_seconds())
            raise TooManyRequests("A test is on its way, or has just been sent.", retry_after_s=seconds)
    add(session, [channel], NotificationKind.test, None)
    await session.flush()
    latest = await repository.latest_by_channel(session, caller.account.id)
    return _shown(channel, latest.get(channel.id))
