"""Delivers what is due: at least once each, in any process of a jobs service, across restarts.

What is taken is marked so in PostgreSQL before anything is sent, and its outcome after. Where the process ends in
between, it is sent again once its lease is over, with the same id.
"""

import asyncio
import math
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime, formataddr
from typing import Any
from uuid import UUID

import aiosmtplib
import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.database import Database
from ngxlab.core.jobs.execution import Task
from ngxlab.core.jobs.kinds import Queue, Round, job
from ngxlab.notifications import webhook
from ngxlab.notifications.schemas import WebhookMessage
from ngxlab.outbox import repository
from ngxlab.outbox.models import ChannelKind, Notification, NotificationChannel, NotificationKind
from ngxlab.runs import repository as runs
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import computed
from ngxlab.runs.schemas import RunSummary
from ngxlab.runs.states import RunState

_TIMEOUT_S = 8.0
OFF = "This installation sends no e-mail: its operator has set no mail server (NGXLAB_SMTP_HOST)."


async def send(settings: Settings, to: str, message_id: str, at: datetime, content: Mapping[str, Any]) -> str | None:
    """What went wrong; None where the mail server has taken it."""
    if settings.smtp_host is None or settings.mail_from is None:
        return OFF
    message = _message(settings.mail_from, to, message_id, at, content["data"])
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            await aiosmtplib.send(
                message,
                hostname=settings.smtp_host,
                port=settings.smtp_port,
                username=settings.smtp_user,
                password=settings.mail_password() if settings.smtp_user else None,
                use_tls=settings.smtp_security == "tls",
                start_tls=settings.smtp_security == "starttls",
                timeout=_TIMEOUT_S,
            )
    except TimeoutError:
        return f"The mail server did not answer within {_TIMEOUT_S:g} s."
    except aiosmtplib.SMTPResponseException as error:
        return f"The mail server refused it: {error.code}."
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        return f"The mail server could not be used: {type(error).__name__}."
    return None


def _message(sender: str, to: str, message_id: str, at: datetime, data: Mapping[str, Any]) -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = " ".join(str(data["title"]).split())
    message["From"] = formataddr(("ngxlab", sender))
    message["To"] = to
    message["Date"] = format_datetime(at)
    message["Message-ID"] = f"<{message_id}@{sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    text = f"{data['text']}\n\n" if data["text"] else ""
    message.set_content(f"{data['title']}\n\n{text}{data['url']}\n")
    return message


_THRESHOLDS = {
    "pass": "All thresholds are met.",
    "fail": "A threshold is not met.",
    "undecided": "The intervals do not decide every threshold.",
    "not_valid": "A validity check voids the thresholds.",
}


async def compose(session: AsyncSession, notification: Notification, public_url: str) -> dict[str, Any]:
    """``type``, ``timestamp`` and ``data``; the latter has a ``title``, a ``text`` and the ``url`` of a page."""
    detail = notification.detail
    match NotificationKind(notification.kind):
        case NotificationKind.run_ended:
            data = await _run_ended(session, notification, public_url)
        case NotificationKind.schedule_not_started:
            said = f"The run of {detail['experiment']} that was due at {detail['due_at']} was not started"
            data = _said(said, f"{detail['reason']}", f"{public_url}/experiments/{detail['experiment_id']}")
            data["experiment"] = {"id": detail["experiment_id"], "name": detail["experiment"]}
        case NotificationKind.host_away:
            text = f"Its agent has been silent since {detail['since']}. Runs that need it wait."
            data = _host(notification, f"Host {detail['host']} is away", text, public_url)
        case NotificationKind.host_back:
            text = f"Its agent was silent since {detail['since']} and answers again."
            data = _host(notification, f"Host {detail['host']} is back", text, public_url)
        case NotificationKind.test:
            data = _said("A test from ngxlab", "Notifications arrive here.", f"{public_url}/account?tab=notifications")
    message = {"type": notification.kind, "timestamp": notification.created_at.isoformat(), "data": data}
    return WebhookMessage.model_validate(message).model_dump(mode="json", exclude_unset=True)


def _said(title: str, text: str, url: str) -> dict[str, Any]:
    return {"title": title, "text": text, "url": url}


def _host(notification: Notification, title: str, text: str, public_url: str) -> dict[str, Any]:
    host = {"id": str(notification.subject_id), "name": notification.detail["host"]}
    return _said(title, text, f"{public_url}/hosts/{notification.subject_id}") | {"host": host}


async def _run_ended(session: AsyncSession, notification: Notification, public_url: str) -> dict[str, Any]:
    """As the run ended then; with the verdict, unless the run has gone on since."""
    state, reason = str(notification.detail["state"]), notification.detail["reason"]
    run = await _analysed(session, notification)
    if run is None:
        return _said(f"A run {state}", reason or "It is gone.", f"{public_url}/runs")
    known = run.state == state
    headline, outcome = (run.headline, run.outcome) if known else (None, None)
    lines = [headline, _THRESHOLDS.get(outcome or ""), reason if state != RunState.completed else None]
    title = f"Run {run.number} of {run.experiment_name} " + ("was cancelled" if state == "cancelled" else state)
    data = _said(title, "\n".join(filter(None, lines)), f"{public_url}/runs/{run.id}/report")
    data["run"] = {
        "id": str(run.id),
        "number": run.number,
        "experiment": run.experiment_name,
        "state": state,
        "reason": reason,
        "headline": headline,
        "verdict": run.verdict if known else None,
        "outcome": outcome,
    }
    return data


async def _analysed(session: AsyncSession, notification: Notification) -> RunSummary | None:
    """The run with its verdict, which is judged here if the backend was stopped before it could do so.

    Whoever is judging it now holds the run's lock, so that this waits for them.
    """
    run = await runs.lock_run(session, notification.subject_id) if notification.subject_id else None
    if run is None:
        return None
    if RunState(run.state).final and run.analysis is None:
        try:
            async with session.begin_nested():
                await analyse(session, run, computed)
        except Exception:  # the report will say what is wrong with it; its end is told all the same
            log.exception("a run that ended could not be analysed", run_id=str(run.id))
            await session.refresh(run)
    return run_summary(run)


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
            taken = await repository.claim_due(session, _AT_ONCE)
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
            return await send(self._settings, channel.account.email, str(stored.id), stored.created_at, body)
        to = webhook.Endpoint(channel.url or "", channel.secret or "", self._settings.webhook_networks)
        return await webhook.send(to, str(stored.id), int(utcnow().timestamp()), body)


def _settle(stored: Notification, error: str | None) -> None:
    """Record an outcome, and when to try again. A test is tried once, since somebody waits for its answer."""
    stored.last_error = error
    if error is None:
        stored.delivered_at, stored.next_attempt_at = utcnow(), None
    elif stored.kind == NotificationKind.test or stored.attempts > len(_BACK_OFF):
        stored.next_attempt_at = None
    else:
        stored.wait(_BACK_OFF[stored.attempts - 1])


@job("outbox", Queue.analysis, limit_s=120, is_round=True)
async def deliver_all(task: Task) -> None:
    """Deliver all that is due."""
    own: Delivery = task.service.own.setdefault("delivery", Delivery(task.database, task.service.settings))
    while await own.look():
        continue


def round_of_outbox() -> Round:
    return Round(deliver_all, question=repository.is_any_due())
