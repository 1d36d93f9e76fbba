"""What a notification says: composed once, so that each attempt sends the same."""

from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.notifications.schemas import WebhookMessage
from ngxlab.outbox.models import Notification, NotificationKind
from ngxlab.runs import repository as runs
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.results.analysis import analyse
from ngxlab.runs.results.jobs import computed
from ngxlab.runs.schemas import RunSummary
from ngxlab.runs.states import RunState

log = structlog.get_logger()

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
