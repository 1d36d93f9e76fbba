"""Whether a run should go on after the first trial of an arm: where a stream had errors only, somebody is asked.

The run pauses, which frees its hosts, until somebody lets it go on or cancels it. Nobody may be there, as with a
schedule or in CI: it then ends as failed, once its plan's waiting time (``patience_min``) has passed. It asks once.
"""

from collections.abc import Sequence
from datetime import timedelta

from ngxlab_contracts.sentences import listed, say
from ngxlab_contracts.statuses import SERVED
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import Answer, Event, StreamResult
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis import first_answers
from ngxlab.analysis.summary.rejected import answered
from ngxlab.analysis.summary.streams import errors_of
from ngxlab.core.clock import utcnow
from ngxlab.metrics import repository as metrics
from ngxlab.metrics.damage import Damage
from ngxlab.runs.models import Run, Trial, spec_of
from ngxlab.runs.repository import announce, trial
from ngxlab.runs.states import TrialState

CODE = "first-trial-failed"
_FIRST_BLOCK = 1


async def ask(session: AsyncSession, run: Run, attempts: Sequence[Trial], patience: timedelta) -> bool:
    """Pause the run and ask, where the trial that has just ended was an arm's first, and of no use. Call it under the
    run's lock, between two trials. ``attempts``: of all trials, in their order."""
    if run.asks_until is not None:
        return False
    last = next((one for one in reversed(attempts) if one.state == TrialState.completed), None)
    if last is None or last.block != _FIRST_BLOCK:
        return False
    reason = await _seen(session, last)
    if reason is None:
        return False
    now = utcnow()
    run.paused_at, run.asks, run.asks_until = now, reason, now + patience
    run.state_reason = say("Asks whether to go on.")
    await session.flush()
    await announce(session, run.id)
    return True


def unanswered(run: Run) -> str | None:
    """Why a run that asks has to end, once nobody has answered for long enough."""
    if run.asks is None or run.asks_until is None or utcnow() < run.asks_until:
        return None
    return say("{reason} Nobody said within the plan's waiting time whether to go on.", reason=run.asks)


async def _seen(session: AsyncSession, of: Trial) -> str | None:
    """What was seen of the streams that had errors only; ``None`` where there is none."""
    whole = await trial(session, of.id)
    assert whole is not None  # noqa: S101 (trials are never deleted while their run is locked)
    told = [
        event for share in whole.hosts for _, event in await metrics.events(session, of.id, share.host_id, Damage())
    ]
    streams = [stream for share in whole.hosts for stream in spec_of(whole, share).streams]
    found = [seen for stream in streams for seen in _errors_only(stream, told)]
    if not found:
        return None
    return say("The first trial of arm {arm} had errors only. {found}", arm=of.arm, found=listed(found, " "))


def _errors_only(stream: StreamSpec, events: Sequence[Event]) -> list[str]:
    result = next((one for one in events if isinstance(one, StreamResult) and one.stream == stream.key), None)
    totals = (result.printed or result.totals) if result is not None else None
    errors = errors_of(stream, result) if result is not None else None
    if totals is None or errors is None or (not totals.statuses and stream.served_statuses != list(SERVED)):
        return []
    responses, failed = answered(totals), errors.connect + errors.read + errors.write + errors.timeout + errors.garbage
    if errors.status < responses or not (responses or failed):
        return []
    parts: list[str] = []
    if responses:
        parts += [
            say(
                "{count:,} of {responses:,} responses had an unexpected status",
                count=errors.status,
                responses=responses,
            )
        ]
    if failed:
        parts += [say("{count:,} socket errors", count=failed)]
    told = next((one for one in events if isinstance(one, Answer) and one.stream == stream.key), None)
    seen = listed(parts)
    if told is not None:
        seen = listed([seen, first_answers.line(first_answers.after_load(stream, told))], "; ")
    return [say("Stream {stream}: {seen}.", stream=stream.key, seen=seen)]
