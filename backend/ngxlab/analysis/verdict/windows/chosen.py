"""What a verdict must say where the measured window was chosen after the run (docs/method.md, Chosen windows)."""

from collections.abc import Sequence

from ngxlab.analysis.schemas import ChosenWindow, PlanFacts, TrialSummary, VerdictSentence


def said(trials: Sequence[TrialSummary], plan: PlanFacts) -> str | None:
    """``None`` where every trial has the planned window."""
    chosen = [trial.window_chosen for trial in trials if trial.window_chosen is not None]
    if not chosen:
        return None
    first = chosen[0]
    if len(chosen) == len(trials) and all(one == first for one in chosen):
        return f"The measured window was chosen after the run: {_span(first)} instead of 0 s to {plan.measure_s:g} s."
    several = f"{len(chosen)} of {len(trials)} trials" if len(trials) > 1 else "the trial"
    return f"The measured window of {several} was chosen after the run, instead of 0 s to {plan.measure_s:g} s."


def mark(text: str) -> str:
    """A statement that rests on a window that was chosen after the run."""
    return f"{text.removesuffix('.')}; window chosen afterwards."


def marked(sentences: Sequence[VerdictSentence]) -> list[VerdictSentence]:
    return [sentence.model_copy(update={"text": mark(sentence.text)}) for sentence in sentences]


def _span(window: ChosenWindow) -> str:
    start, end = (f"{edge:g}".replace("-", "\N{MINUS SIGN}") for edge in (window.start_s, window.end_s))
    return f"{start} s to {end} s"
