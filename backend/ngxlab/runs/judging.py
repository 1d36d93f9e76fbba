"""Which looks at a run count for its verdict (docs/method.md, Looks)."""

from collections.abc import Sequence
from dataclasses import dataclass

from ngxlab_verdict import Course, Looks, Stage

from ngxlab.definition.schema.plan import Plan
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.states import RunState, TrialState

_MEASURED = frozenset({TrialState.completed, TrialState.skipped})
_TRIED = _MEASURED | {TrialState.failed, TrialState.lost}


@dataclass(frozen=True)
class Judging:
    """``stages``: the looks whose claims count, the latest last. ``unseen``: blocks that the latest leaves out."""

    course: Course
    stages: tuple[Stage, ...]
    unseen: tuple[int, ...]

    @property
    def looks(self) -> Looks | None:
        """``None``: the run has ended as planned, whatever it measured."""
        return self.stages[-1].looks


def judging(run: Run, plan: Plan, trials: Sequence[Trial]) -> Judging:
    """``trials``: the latest attempts.

    A run that goes on can be ended by whoever reads its verdict. So can one that was ended early have been, even by an
    accident: nobody can tell. A run whose stop rule may end it is always looked at. Blocks that were added beyond the
    plan are judged when all of them are complete, and not before.
    """
    course, unfinished = course_of(run, plan, trials), open_blocks(run, trials)
    complete = min(unfinished, default=run.blocks + 1) - 1
    stages = course.stages(complete)
    beyond = range(stages[-1].blocks + 1, run.blocks + 1) if complete >= course.planned else ()
    return Judging(course, stages, tuple(sorted({*unfinished, *beyond})))


def course_of(run: Run, plan: Plan, trials: Sequence[Trial] = ()) -> Course:
    planned = plan.most_blocks
    added = tuple(total for total in run.added_to if total > planned)
    return Course(planned, plan.may_stop, added, cut_short=_was_skipped(planned, trials))


def blocks_wanted(run: Run, plan: Plan) -> int:
    """The most blocks that the run may have: by its plan, or as somebody added some."""
    return max(plan.most_blocks, *run.added_to, 0)


def open_blocks(run: Run, trials: Sequence[Trial]) -> tuple[int, ...]:
    """Blocks with a trial that was not measured, or may still be: looks see complete blocks only. All, while arms are
    chosen."""
    done = _TRIED if RunState(run.state).final else _MEASURED
    counting = [one for one in trials if one.heat is None and not one.is_profile]
    if trials and not counting:
        return tuple(range(1, run.blocks + 1))
    return tuple(sorted({trial.block for trial in counting if TrialState(trial.state) not in done}))


def _was_skipped(block: int, trials: Sequence[Trial]) -> bool:
    """Whoever skips a trial of the last block has ended the run before it."""
    last = (trial for trial in trials if trial.heat is None and trial.block == block)
    return any(trial.state == TrialState.skipped for trial in last)
