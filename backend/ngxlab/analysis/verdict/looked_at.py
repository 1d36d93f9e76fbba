"""What is said of claims that may be read at any look (docs/method.md, Looks)."""

from typing import Literal

from ngxlab_verdict import Looks

from ngxlab.analysis.schemas import ArmMetric, PlanFacts, RunAnalysis

Procedure = Literal["planned_end", "any_look"]


def with_interval_named(own: ArmMetric, looks: Looks | None) -> ArmMetric:
    """Says of the comparison's interval that it holds at any look."""
    if looks is None or own.comparison is None:
        return own
    name = f"{100 * (1 - looks.error):g} % CI at any look"
    return own.model_copy(update={"comparison": own.comparison.model_copy(update={"interval": name})})


def procedure_of(looks: Looks | None) -> Procedure:
    return "planned_end" if looks is None else "any_look"


def looks_sentence(plan: PlanFacts) -> str | None:
    """For the end of the headline; ``None`` for a run that was judged at its planned end."""
    if plan.looks is None:
        return None
    judged = "udged so that it may be read at any time: intervals hold at every look, from 5 pairs on."
    if plan.ended_early_of is None:
        return f"J{judged}"
    return f"Ended early on request, after block {plan.blocks} of {plan.ended_early_of}, and j{judged}"


def so_far(analysis: RunAnalysis) -> str:
    """The verdict of a run that goes on, in the words of its report."""
    stated = [statement.text for statement in analysis.statements] or ["Nothing can be compared yet."]
    return " ".join([*stated, f"{analysis.blocks_complete} of {analysis.blocks_planned} blocks are complete."])
