"""Every change of a run's or a trial's state is made here, under the run's lock, and announced.

The end of a run is also posted to its owner, in the same transaction.
"""

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import utcnow
from ngxlab.hosts.repository import release_leases
from ngxlab.outbox.models import NotificationKind
from ngxlab.outbox.repository import post
from ngxlab.runs.announce import announce
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.results.jobs import judge_later
from ngxlab.runs.states import RunState, TrialState, check_run_transition, check_trial_transition


async def move_run(
    session: AsyncSession, run: Run, wanted: RunState, *, code: str | None = None, reason: str | None = None
) -> None:
    """Raises Conflict for an impossible transition. A run in a final state releases its hosts."""
    check_run_transition(RunState(run.state), wanted)
    run.state, run.state_code, run.state_reason = wanted, code, reason
    if wanted == RunState.running:
        run.started_at = run.started_at or utcnow()
    if wanted == RunState.queued:
        run.finished_at, run.analysis, run.passed = None, None, None
        run.raw_bytes, run.packed_at = None, None
    if wanted.final:
        run.finished_at = utcnow()
        await release_leases(session, run.id)
        await post(session, NotificationKind.run_ended, run.created_by, run.id, state=wanted, reason=reason)
        await judge_later(session, run.id)
    await session.flush()
    await announce(session, run.id)


async def move_trial(
    session: AsyncSession, trial: Trial, wanted: TrialState, *, code: str | None = None, reason: str | None = None
) -> None:
    """Raises Conflict for an impossible transition."""
    check_trial_transition(TrialState(trial.state), wanted)
    trial.state, trial.code, trial.reason = wanted, code, reason
    trial.phase_at = utcnow()
    if wanted == TrialState.dispatched:
        trial.dispatched_at = trial.phase_at
    if wanted.final:
        trial.finished_at = trial.phase_at
    await session.flush()
    await announce(session, trial.run_id)
