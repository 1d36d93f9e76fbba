"""Which comparisons a run's headline states (docs/method.md, Headline)."""

from collections.abc import Sequence

from ngxlab.analysis.schemas import VerdictSentence

_OPEN = frozenset({"undecided", None})


def headline_statements(sentences: Sequence[VerdictSentence], primary: Sequence[str]) -> list[VerdictSentence]:
    """On primary metrics only: first what is decided, metric by metric; then what stays open on the first metric.

    ``primary``: names of metrics in their order. Claims that a check voids are not stated.
    """
    order = {name: place for place, name in enumerate(primary)}
    stated = [one for one in sentences if one.family == "primary" and one.verdict != "not_valid"]
    decided = [one for one in stated if one.verdict not in _OPEN]
    still_open = [one for one in sentences if one.verdict in _OPEN and order.get(_name(one)) == 0]
    return [*sorted(decided, key=lambda one: order[_name(one)]), *still_open]


def _name(sentence: VerdictSentence) -> str:
    return sentence.metric if sentence.stream is None else f"{sentence.stream}.{sentence.metric}"
