"""Whether a run is judged once, at its planned end, or may be looked at any time (docs/method.md, Looks)."""

from collections.abc import Sequence

from ngxlab_verdict import Looks
from ngxlab_verdict.sequential import EARLY_ERROR, FIRST_LOOK, spent_before

from ngxlab.definition.schema.plan import Plan, UntilPrecise
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.states import RunState, TrialState

_MEASURED = frozenset({TrialState.completed, TrialState.skipped})
_TRIED = _MEASURED | {TrialState.failed, TrialState.lost}


def looks_at(run: Run, plan: Plan, trials: Sequence[Trial]) -> Looks | None:
    """``None``: the run has ended as planned, whatever it measured. ``trials``: the latest attempts.

    A run that goes on can be ended by whoever reads its verdict. So can one that was ended early have been, even by an
    accident: nobody can tell. A run whose stop rule may end it is always looked at.
    """
    rule = plan.stop
    if isinstance(rule, UntilPrecise) and max(plan.blocks, FIRST_LOOK) < rule.max_blocks:
        return Looks(rule.max_blocks)
    planned = blocks_at_most(plan)
    if run.blocks >= planned and not open_blocks(run, trials) and not _last_was_skipped(planned, trials):
        return None
    return Looks(planned - 1, EARLY_ERROR)


def spent_on_looks(plan: Plan, looks: Looks | None) -> float:
    """The part of 5 % that is not left for a verdict at the planned end, because the run could be ended before it."""
    return spent_before(blocks_at_most(plan)) if looks is None else 0.0


def blocks_at_most(plan: Plan) -> int:
    """What the plan allows a run."""
    return plan.stop.max_blocks if isinstance(plan.stop, UntilPrecise) else plan.blocks


def open_blocks(run: Run, trials: Sequence[Trial]) -> tuple[int, ...]:
    """Blocks with a trial that was not measured, or may still be: looks see complete blocks only."""
    done = _TRIED if RunState(run.state).final else _MEASURED
    return tuple(sorted({trial.block for trial in trials if TrialState(trial.state) not in done}))


def _last_was_skipped(planned: int, trials: Sequence[Trial]) -> bool:
    """Whoever skips a trial of the last block has ended the run before it."""
    return any(trial.block == planned and trial.state == TrialState.skipped for trial in trials)
