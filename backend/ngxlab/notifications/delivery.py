"""Delivers what is due: at least once each, in any process of a jobs service, across restarts.

What is taken is marked so in PostgreSQL before anything is sent, and its outcome after. Where the process ends in
between, it is sent again once its lease is over, with the same id.
"""

import asyncio
import math
import time
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog

from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Queue, job
from ngxlab.core.jobs.rounds import Round
from ngxlab.notifications import mail, webhook
from ngxlab.notifications.messages import compose
from ngxlab.outbox import repository
from ngxlab.outbox.models import ChannelKind, Notification, NotificationChannel, NotificationKind

log = structlog.get_logger()

_AT_ONCE = 8
_WHOLE_S = 10.0
_BACK_OFF = [timedelta(seconds=s) for s in (10, 60, 300, 1_800, 7_200, 21_600, 43_200)]
"""Waits after failed attempts; after as many and one more it is given up, about a day after the event."""
_KEPT = timedelta(days=30)
_FORGET_EVERY_S = 3600.0
_UNEXPECTED = "It could not be composed; the log of the jobs service says why."


class Delivery:
    """A look takes a few of what is due, at most one of each channel."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._forgot_at = -math.inf

    async def look(self) -> bool:
        """Deliver a batch; whether there was one."""
        await self._forget_now_and_then()
        async with self._database.transaction() as session:
            taken = await repository.claim_due(session, utcnow(), _AT_ONCE)
        await asyncio.gather(*(self._deliver(one) for one in taken))
        return bool(taken)

    async def _forget_now_and_then(self) -> None:
        if time.monotonic() - self._forgot_at >= _FORGET_EVERY_S:
            async with self._database.transaction() as session:
                await repository.forget_settled(session, utcnow() - _KEPT)
            self._forgot_at = time.monotonic()

    async def _deliver(self, notification_id: UUID) -> None:
        try:
            error = await self._attempt(notification_id)
        except Exception:
            log.exception("a notification could not be delivered", notification_id=str(notification_id))
            error = _UNEXPECTED
        async with self._database.transaction() as session:
            if (stored := await repository.notification(session, notification_id)) is not None:
                _settle(stored, error)

    async def _attempt(self, notification_id: UUID) -> str | None:
        """What went wrong; None where it was delivered, or its channel was removed meanwhile."""
        async with self._database.transaction() as session:
            stored = await repository.notification(session, notification_id)
            if stored is None:
                return None
            if stored.channel.account.disabled_at is not None:
                return "The account is disabled."
            if stored.body is None:
                stored.body = await compose(session, stored, self._settings.public_url)
        try:
            async with asyncio.timeout(_WHOLE_S):
                return await self._send(stored, stored.channel, stored.body)
        except TimeoutError:
            return f"No answer within {_WHOLE_S:g} s."

    async def _send(self, stored: Notification, channel: NotificationChannel, body: dict[str, Any]) -> str | None:
        if channel.kind == ChannelKind.email:
            return await mail.send(self._settings, channel.account.email, str(stored.id), stored.created_at, body)
        to = webhook.Endpoint(channel.url or "", channel.secret or "", self._settings.webhook_networks)
        return await webhook.send(to, str(stored.id), int(utcnow().timestamp()), body)


def _settle(stored: Notification, error: str | None) -> None:
    """Record an outcome, and when to try again. A test is tried once, since somebody waits for its answer."""
    now = utcnow()
    stored.last_error = error
    if error is None:
        stored.delivered_at, stored.next_attempt_at = now, None
    elif stored.kind == NotificationKind.test or stored.attempts > len(_BACK_OFF):
        stored.next_attempt_at = None
    else:
        stored.next_attempt_at = now + _BACK_OFF[stored.attempts - 1]


@job("outbox", Queue.analysis, limit_s=120, is_round=True)
async def deliver_all(task: Task) -> None:
    """Deliver all that is due."""
    own: Delivery = task.service.own.setdefault("delivery", Delivery(task.database, task.service.settings))
    while await own.look():
        continue


def round_of_outbox() -> Round:
    return Round(deliver_all, question=repository.is_any_due())
