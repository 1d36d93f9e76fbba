"""A window without the warm-up that the plan was too short for. It is shown, and never applied by itself."""

from collections.abc import Sequence
from statistics import median_high

from ngxlab_contracts.sentences import say

from ngxlab.analysis.schemas import ChosenWindow, PlanFacts, SuggestedWindow, TrialSummary

_MOST = 0.5
"""More than this share of the trials must begin with a transient: else it is an accident of some, and no warm-up."""
_SHORTEST_S = 1.0


def suggested(trials: Sequence[TrialSummary], plan: PlanFacts) -> SuggestedWindow | None:
    """``trials``: the usable ones. The start is the median of theirs: the rule sometimes leaves out too much of one."""
    starts = [trial.steady_from_s for trial in trials if trial.steady_from_s is not None]
    if len(starts) <= _MOST * len(trials):
        return None
    start_s = median_high(starts)
    if plan.measure_s - start_s < _SHORTEST_S:
        return None
    return SuggestedWindow(
        window=ChosenWindow(start_s=start_s, end_s=plan.measure_s),
        trials=len(starts),
        of_trials=len(trials),
        text=say(
            "In {count} of {trials} trials the rate becomes steady only within the measured window, "
            "at {start:g} s in the median (MSER-5): the warm-up was too short.",
            count=len(starts),
            trials=len(trials),
            start=start_s,
        ),
    )
