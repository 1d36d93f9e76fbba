"""A run that begins with many arms: which are left, and the cut after a heat (docs/best-of-many.md)."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from ngxlab.analysis.metrics import Metric
from ngxlab.analysis.schemas import Heat, TrialSummary
from ngxlab.analysis.selection import Choice, cut
from ngxlab.analysis.verdict.claims import usable_by_block
from ngxlab.analysis.verdict.stream_comparison import metric_named
from ngxlab.core.stored_json import read
from ngxlab.definition.schema.definition import Definition
from ngxlab.runs.models import Run, Trial
from ngxlab.templates.primary import primary_metrics


def choice_of(run: Run, definition: Definition) -> Choice | None:
    """``None`` for a run that measures all its arms to the end. Raises Unreadable."""
    chosen = definition.plan.selection
    if chosen is None:
        return None
    return Choice(
        arms={arm.key: arm.label for arm in definition.arms if arm.key != definition.baseline},
        baseline=definition.baseline,
        finalists=chosen.finalists,
        blocks=chosen.heat_blocks,
        heats=[read(Heat, one, "A heat of this run") for one in run.selection],
    )


def arms_left(run: Run, definition: Definition) -> list[str]:
    """The arms that the run's next trials are of, in the definition's order."""
    choice = choice_of(run, definition)
    left = None if choice is None else {choice.baseline, *choice.left}
    return [arm.key for arm in definition.arms if left is None or arm.key in left]


def is_choosing(run: Run, definition: Definition) -> bool:
    """Whether a heat is under way, or has still to be judged."""
    choice = choice_of(run, definition)
    return choice is not None and not choice.is_over


def judge_heat(
    run: Run, definition: Definition, trials: Sequence[Trial], found: Mapping[UUID, TrialSummary]
) -> list[str]:
    """Store the cut after the heat that is complete: once, under the run's lock. The arms that are left; where there
    are none, nothing is stored, and the heat is judged again once its trials were measured again.

    ``trials``: the latest attempts. ``found``: the summaries of those that can be read.
    """
    choice = choice_of(run, definition)
    assert choice is not None  # noqa: S101 (asked by is_choosing)
    heats = range(1, len(choice.heats) + 2)
    by_heat = [[found[one.id] for one in trials if one.heat == number and one.id in found] for number in heats]
    arms = [choice.baseline, *choice.left]
    measured = [{arm: usable_by_block(some, arm) for arm in arms} for some in by_heat]
    done = cut(choice, _metric(definition), measured)
    left = [one.arm for one in done.arms if one.stays and one.arm != choice.baseline]
    if left:
        run.selection = [*run.selection, done.model_dump(mode="json")]
    return left


def _metric(definition: Definition) -> Metric:
    metric = metric_named(primary_metrics(definition)[0])
    assert metric is not None  # noqa: S101 (rules refuse others)
    return metric
