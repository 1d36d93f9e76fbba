"""Which comparisons a run's headline states (docs/method.md, Headline)."""

from collections.abc import Sequence

from ngxlab.analysis.schemas import VerdictSentence, VerdictState

_OPEN = frozenset({"undecided", None})


def headline_statements(sentences: Sequence[VerdictSentence], primary: Sequence[str]) -> list[VerdictSentence]:
    """On primary metrics only, metric by metric, arm by arm: what is decided, then what stays open.

    ``primary``: names of metrics in their order. Claims that a check voids are not stated.
    """
    order = {name: place for place, name in enumerate(primary)}
    stated = [one for one in sentences if _name(one) in order and one.verdict != "not_valid"]
    return sorted(stated, key=lambda one: (order[_name(one)], one.verdict in _OPEN))


def verdict_state(statements: Sequence[VerdictSentence]) -> VerdictState:
    """Of a valid run, by its headline's statements."""
    return "decided" if any(one.verdict not in _OPEN for one in statements) else "undecided"


def _name(sentence: VerdictSentence) -> str:
    return sentence.metric if sentence.stream is None else f"{sentence.stream}.{sentence.metric}"
