"""/runs/ID/window and /trials/ID/window."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, Experimenter
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.runs import service as runs
from ngxlab.runs.audit_entries import run_object
from ngxlab.runs.choosing import service
from ngxlab.runs.choosing.schemas import RunWindows, TrialWindowChoice, WindowChoice
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.results.jobs import verdict_waited

router = APIRouter(route_class=GuardedRoute, tags=["runs"])


@router.put("/runs/{run_id:uuid}/window")
async def choose_window(run_id: UUID, body: WindowChoice, session: SessionDep, caller: Experimenter) -> RunWindows:
    """Choose the measured window of all trials of a finished run. Its report says so."""
    windows = await service.choose(session, caller, run_id, body)
    await _record(session, caller, Act.window_chosen, run_id, **body.model_dump(exclude_none=True))
    return windows


@router.delete("/runs/{run_id:uuid}/window")
async def restore_window(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunWindows:
    """Return to the planned window, for the run and for single trials."""
    windows = await service.choose(session, caller, run_id, None)
    await _record(session, caller, Act.window_restored, run_id)
    return windows


@router.put("/trials/{trial_id:uuid}/window")
async def choose_trial_window(
    trial_id: UUID, body: TrialWindowChoice, session: SessionDep, caller: Experimenter
) -> RunWindows:
    """Choose the measured window of one trial of a finished run: an exception, with its reason."""
    run_id, windows = await service.choose_for_trial(session, caller, trial_id, body)
    await _record(session, caller, Act.window_chosen, run_id, trial_id=str(trial_id), **body.model_dump())
    return windows


@router.delete("/trials/{trial_id:uuid}/window")
async def restore_trial_window(trial_id: UUID, session: SessionDep, caller: Experimenter) -> RunWindows:
    """Let a trial have the window of its run again."""
    run_id, windows = await service.choose_for_trial(session, caller, trial_id, None)
    await _record(session, caller, Act.window_restored, run_id, trial_id=str(trial_id))
    return windows


async def _record(session: AsyncSession, caller: Caller, act: Act, run_id: UUID, **detail: Any) -> None:
    """Enter what was done, and wait a while for what follows from it."""
    run = await runs.get(session, run_id)
    await record(session, caller.actor, act, run_object(run_summary(run)), **detail)
    await verdict_waited(session, run_id)
