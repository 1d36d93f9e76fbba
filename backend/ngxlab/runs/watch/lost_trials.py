"""Trials whose host vanished. They say nothing about their arm, so they are marked lost and repeated."""

from datetime import datetime, timedelta

from ngxlab_contracts.hosts import Heartbeat
from ngxlab_contracts.trials import TimingSpec, TrialSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.clock import now_us, utcnow
from ngxlab.hosts.models import Host
from ngxlab.hosts.repository import host_by_id
from ngxlab.runs import repository
from ngxlab.runs.models import Trial
from ngxlab.runs.states import TrialState
from ngxlab.runs.transitions import move_trial

_CLAIM_PATIENCE = timedelta(seconds=15)
_SILENCE_PATIENCE = timedelta(seconds=15)
_OVERDUE_PATIENCE = timedelta(seconds=120)


async def after_restart(session: AsyncSession, host: Host, beat: Heartbeat) -> None:
    """A new instance of an agent has none of the trials that the old one ran, except data spooled on its disk."""
    for trial_host, run_id in await repository.unfinished_trials_of_host(session, host.id):
        if (
            trial_host.claimed_by is None
            or trial_host.claimed_by == beat.agent_instance
            or trial_host.trial_id in beat.spooled_trials
        ):
            continue
        await repository.lock_run(session, run_id)
        trial = await repository.trial(session, trial_host.trial_id)
        if trial is not None and not TrialState(trial.state).final:
            reason = f"The agent on {host.name} was restarted in the middle of this trial."
            await move_trial(session, trial, TrialState.lost, code="agent-restarted", reason=reason)


async def sweep(session: AsyncSession, trial: Trial, watching_since: datetime) -> None:
    """Mark a trial as lost if its host has been silent for too long.

    ``watching_since``: silence is counted from this time at the earliest, because a backend that was down received no
    messages.
    """
    verdict = await _verdict(session, trial, watching_since)
    if verdict is None:
        return
    await repository.lock_run(session, trial.run_id)
    fresh = await repository.trial(session, trial.id)
    if fresh is not None and not TrialState(fresh.state).final and fresh.state == trial.state:
        code, reason = verdict
        await move_trial(session, fresh, TrialState.lost, code=code, reason=reason)


def _timing(trial: Trial) -> TimingSpec:
    return TrialSpec.model_validate(trial.hosts[0].spec).timing


def _longest_us(trial: Trial) -> int:
    """All phases and two minutes, counted from the agreed start."""
    timing = _timing(trial)
    seconds = timing.warmup_s + timing.measure_s + timing.cooldown_s
    return round((seconds + _OVERDUE_PATIENCE.total_seconds()) * 1e6)


async def _verdict(session: AsyncSession, trial: Trial, watching_since: datetime) -> tuple[str, str] | None:
    """Code and reason if the trial must be marked lost."""
    now = utcnow()
    if trial.state == TrialState.dispatched:
        since = max(trial.dispatched_at or now, watching_since)
        if now - since > _CLAIM_PATIENCE:
            return "host-unresponsive", f"No agent took the trial within {_CLAIM_PATIENCE.seconds} s."
    if trial.state in {TrialState.preparing, TrialState.ready} and trial.start_at_us is None:
        since = max(trial.phase_at or now, watching_since)
        patience = timedelta(seconds=_timing(trial).start_timeout_s)
        if now - since > patience:
            return "never-ready", f"The trial was {trial.state} for more than {patience.total_seconds():.0f} s."
    if trial.start_at_us is not None and now_us() > trial.start_at_us + _longest_us(trial):
        return "overdue", "The trial did not end within two minutes after its last phase."
    for trial_host in trial.hosts:
        if trial_host.claimed_by is None or trial_host.outcome is not None:
            continue
        host = await host_by_id(session, trial_host.host_id)
        heard = [t for t in (trial_host.last_batch_at, host.heartbeat_at if host else None, watching_since) if t]
        if now - max(heard) > _SILENCE_PATIENCE:
            name = host.name if host else "The host"
            return "agent-lost", f"{name} has been silent for {(now - max(heard)).total_seconds():.0f} s."
    return None
