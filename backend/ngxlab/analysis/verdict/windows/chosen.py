"""What a verdict says where the measured window was chosen after the run (docs/method-details.md, Chosen windows)."""

from collections.abc import Sequence

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.analysis.schemas import ChosenWindow, PlanFacts, TrialSummary, VerdictSentence


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
