"""What a verdict says where the measured window was chosen after the run (docs/method-details.md, Chosen windows)."""

from collections.abc import Sequence
from statistics import median_high

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.analysis.schemas import ChosenWindow, PlanFacts, SuggestedWindow, TrialSummary, VerdictSentence


def said(trials: Sequence[TrialSummary], plan: PlanFacts) -> Sentence | None:
    """``None`` where every trial has the planned window."""
    chosen = [trial.window_chosen for trial in trials if trial.window_chosen is not None]
    if not chosen:
        return None
    first = chosen[0]
    if len(chosen) == len(trials) and all(one == first for one in chosen):
        return say(
            "The measured window was chosen after the run: {span} instead of 0 s to {planned:g} s.",
            span=_span(first),
            planned=plan.measure_s,
        )
    several = say(
        "{count} of {trials} trials" if len(trials) > 1 else "the trial", count=len(chosen), trials=len(trials)
    )
    return say(
        "The measured window of {several} was chosen after the run, instead of 0 s to {planned:g} s.",
        several=several,
        planned=plan.measure_s,
    )


def mark(text: Sentence) -> Sentence:
    """A statement that rests on a window that was chosen after the run."""
    return say("{text}; window chosen afterwards.", text=text.without_stop())


def marked(sentences: Sequence[VerdictSentence]) -> list[VerdictSentence]:
    return [sentence.model_copy(update={"text": mark(sentence.text)}) for sentence in sentences]


def _span(window: ChosenWindow) -> Sentence:
    start, end = (f"{edge:g}".replace("-", "\N{MINUS SIGN}") for edge in (window.start_s, window.end_s))
    return say("{start} s to {end} s", start=start, end=end)


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
