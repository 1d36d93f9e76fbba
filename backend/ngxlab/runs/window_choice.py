"""Choose another measured window for a finished run or for one of its trials, and return to the planned one.

Everything is computed again from the raw data, which stays as it is.
"""

from uuid import UUID

from ngxlab_contracts.sentences import fixed
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller
from ngxlab.analysis.records.stream_spans import Span
from ngxlab.analysis.schemas import ChosenWindow
from ngxlab.core.errors import Conflict, Invalid, existing
from ngxlab.definition.schema.definition import Definition
from ngxlab.runs import repository as runs
from ngxlab.runs.models import Run, definition_of, require_raw_data
from ngxlab.runs.presentation import may_change
from ngxlab.runs.repository import announce
from ngxlab.runs.results.jobs import judge_anew
from ngxlab.runs.schemas import RunWindows, TrialWindow, WindowChangeOut, WindowChoice
from ngxlab.runs.service import own_locked
from ngxlab.runs.states import RunState, TrialState
from ngxlab.runs.windows import WindowChange, changes_of, current, span_of

SHORTEST_S = 1.0


async def choose(
    session: AsyncSession, caller: Caller, run_id: UUID, choice: WindowChoice | None, trial_id: UUID | None = None
) -> RunWindows:
    """``choice``: ``None`` for the planned window. Choosing what holds already changes nothing.

    Raises Conflict while the run is not over, and Invalid for a window without load.
    """
    run = await own_locked(session, caller, run_id)
    if not RunState(run.state).final:
        raise Conflict("The window can be chosen when the run is over.", code=f"run-{run.state}")
    require_raw_data(run)
    span = _checked(definition_of(run), choice)
    changes = await changes_of(session, run_id)
    change = WindowChange(run_id=run_id, trial_id=trial_id, changed_by=caller.account.id)
    change.start_s, change.end_s = span if span is not None else (None, None)
    change.reason = choice.reason or None if choice is not None else None
    if current([*changes, change]) != current(changes):
        session.add(change)
        await session.flush()
        await session.refresh(change)
        await judge_anew(session, run)
        await announce(session, run_id)
    return await of_run(session, run, caller)


async def choose_for_trial(
    session: AsyncSession, caller: Caller, trial_id: UUID, choice: WindowChoice | None
) -> tuple[UUID, RunWindows]:
    """As :func:`choose`, for a completed trial. Also returns the run's id."""
    trial = existing(await runs.trial(session, trial_id), "trial")
    if trial.state != TrialState.completed:
        raise Conflict("The trial is {state}.", state=fixed(trial.state), code=f"trial-{trial.state}")
    return trial.run_id, await choose(session, caller, trial.run_id, choice, trial_id)


def _checked(definition: Definition, choice: WindowChoice | None) -> Span | None:
    plan = definition.plan
    if choice is None or (choice.start_s, choice.end_s) == (0, plan.measure_s):
        return None
    if choice.start_s < -plan.warmup_s or choice.end_s > plan.measure_s:
        raise Invalid(
            "The load lasted from {begin:g} s to {end:g} s: choose a window within it.",
            begin=-plan.warmup_s,
            end=plan.measure_s,
            code="window-without-load",
        )
    if choice.end_s - choice.start_s < SHORTEST_S:
        raise Invalid("A window lasts at least {shortest:g} s.", shortest=SHORTEST_S, code="window-too-short")
    return Span(choice.start_s, choice.end_s)


async def of_run(session: AsyncSession, run: Run, caller: Caller | None) -> RunWindows:
    """``caller``: ``None`` for the reader of a share, who is told no names."""
    changes = await changes_of(session, run.id)
    windows = current(changes)
    plan = definition_of(run).plan
    return RunWindows(
        planned=ChosenWindow(start_s=0, end_s=plan.measure_s),
        earliest_s=-plan.warmup_s,
        run=_shown(windows.run),
        trials=[
            TrialWindow(trial_id=trial_id, window=ChosenWindow(**span._asdict()))
            for trial_id, span in windows.trials.items()
        ],
        changes=[_change(change, names=caller is not None) for change in reversed(changes)],
        may_choose=may_change(caller, run) and RunState(run.state).final and run.raw_removed_at is None,
    )


def _change(change: WindowChange, *, names: bool) -> WindowChangeOut:
    return WindowChangeOut(
        trial_id=change.trial_id,
        window=_shown(span_of(change)),
        reason=change.reason,
        changed_by=(change.changed_by_name or change.author.email) if names else None,
        changed_at=change.changed_at,
    )


def _shown(span: Span | None) -> ChosenWindow | None:
    return ChosenWindow(**span._asdict()) if span is not None else None
