"""What is said of claims that may be read at any look (docs/method.md, Looks)."""

from collections.abc import Mapping
from typing import Literal

from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_verdict import Course, Looks
from ngxlab_verdict.families import ERROR
from ngxlab_verdict.sequential import FIRST_LOOK

from ngxlab.analysis.schemas import ArmMetric, PlanFacts, RunAnalysis, StopCode

MIN_PAIRS = 2
"""A single pair has no interval."""
Procedure = Literal["planned_end", "any_look"]


def with_interval_named(own: ArmMetric, looks: Looks | None) -> ArmMetric:
    """Says of the comparison's interval that it holds at any look."""
    if looks is None or own.comparison is None or not own.comparison.interval:
        return own
    name = say("{interval} at any look", interval=own.comparison.interval)
    return own.model_copy(update={"comparison": own.comparison.model_copy(update={"interval": name})})


def procedure_of(looks: Looks | None) -> Procedure:
    return "planned_end" if looks is None else "any_look"


def looks_sentence(plan: PlanFacts) -> Sentence | None:
    """For the end of the headline; ``None`` for a run that was judged at its planned end."""
    if plan.course is not None and plan.course.added:
        return _of_added(plan, plan.course)
    if plan.looks is None:
        return None
    judged = say("judged so that it may be read at any time: intervals hold at every look, from 5 pairs on.")
    if plan.stopped is not None and plan.course is not None:
        why, most = _WHY[plan.stopped], plan.course.planned
        text = "Ended by its stop rule after block {blocks} of at most {most}: {why}. It was {judged}"
        return say(text, blocks=plan.blocks, most=most, why=why, judged=judged)
    if plan.ended_early_of is None:
        return say("Judged so that it may be read at any time: intervals hold at every look, from 5 pairs on.")
    return say(
        "Ended early on request, after block {blocks} of {planned}, and {judged}",
        blocks=plan.blocks,
        planned=plan.ended_early_of,
        judged=judged,
    )


_WHY: Mapping[StopCode, Sentence] = {
    "decided": say("no primary question is open"),
    "hopeless": say("no open question was likely to be decided in the blocks left"),
    "precise": say("the interval is narrow enough"),
}


def _of_added(plan: PlanFacts, course: Course) -> Sentence:
    """Which of the blocks the verdict is of, where some were added beyond the plan."""
    last = min(plan.open_blocks, default=plan.blocks + 1) - 1
    if last < course.planned:
        return say("Judged at its first {blocks} blocks; the next verdict follows at the planned end.", blocks=last)
    if not plan.earlier:
        text = "Blocks beyond the plan were added and are not complete: this is the verdict on the first {blocks}."
        return say(text, blocks=last)
    return say(
        "Blocks were added: what was decided after block {before} stands, and the verdict on {blocks} blocks rests on "
        "{error:.2g} % of the error.",
        before=plan.earlier[-1].blocks,
        blocks=last,
        error=100 * (ERROR - plan.spent),
    )


def so_far(analysis: RunAnalysis, looks: Looks | None) -> Sentence:
    """The verdict of a run that goes on, in the words of its report; one sentence before there can be an interval."""
    complete, planned = analysis.blocks_complete, analysis.blocks_planned
    blocks = say(
        "{complete} of {planned} blocks" if planned != 1 else "{complete} of {planned} block",
        complete=complete,
        planned=planned,
    )
    voided = [analysis.not_valid] if analysis.not_valid is not None else []
    first = _first_interval(planned, looks)
    if complete < first and not _has_interval(analysis):
        text = "No verdict yet: {blocks}; the first interval comes with block {first}."
        return listed([*voided, say(text, blocks=blocks, first=first)], " ")
    stated = [statement.text for statement in analysis.statements] or [say("Nothing can be compared yet.")]
    done = say("{blocks} is complete." if complete == 1 else "{blocks} are complete.", blocks=blocks)
    return listed([*voided, *stated, done], " ")


def _first_interval(planned: int, looks: Looks | None) -> int:
    """The block after which a verdict is given: that of the first look, or the last one of a shorter plan."""
    return FIRST_LOOK if looks is not None and looks.last >= FIRST_LOOK else max(planned, MIN_PAIRS)


def _has_interval(analysis: RunAnalysis) -> bool:
    compared = [own.comparison for arm in analysis.arms for own in arm.metrics]
    return any(comparison is not None and comparison.ci_low is not None for comparison in compared)
