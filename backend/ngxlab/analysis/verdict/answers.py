"""The questions of a run and their answers, metric by metric (docs/method.md, Words)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ngxlab_contracts.sentences import Sentence, fixed, listed, say

from ngxlab.analysis.metrics import METRICS, Metric
from ngxlab.analysis.schemas import Answer, ArmAnalysis, ArmAnswer, ArmMetric, Comparison, MetricKey, Sign, Verdict
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.comparison import is_far
from ngxlab.analysis.verdict.stream_comparison import STREAM_METRICS

_QUESTIONS: Mapping[MetricKey, tuple[str, str]] = {
    "capacity_per_s": ("Higher capacity?", "lower"),
    "plateau_per_s": ("Higher throughput plateau?", "lower"),
    "requests_per_s": ("More requests/s?", "fewer"),
    "worker_cpu_cv": ("CPU spread more evenly over workers?", "less evenly"),
    "worker_connections_cv": ("Connections spread more evenly over workers?", "less evenly"),
}
"""With the word for the opposite."""
_BY_DIRECTION = {
    "more_is_better": ("Higher {}?", "lower"),
    "less_is_better": ("Lower {}?", "higher"),
    "neutral": ("Different {}?", ""),
}
_OPEN = frozenset({"undecided", None})
_NOT_MEASURED = "not measured"
_SHOWN = 3
"""Arms named in a row; all of them are in the table."""
_NAMED = 2
"""Arms named in an answer itself."""

Compared = tuple[ArmAnalysis, ArmAnalysis]
"""An arm, and the one that it is compared with."""

_Verdicts = Sequence[Verdict | None]


def answers(
    metrics: Iterable[Metric], arms: Sequence[ArmAnalysis], baseline: str, primary: Sequence[str]
) -> list[Answer]:
    """One for each primary metric that the run has, in their order. ``metrics``: of the run and of its streams."""
    reference = next(arm for arm in arms if arm.key == baseline)
    return answers_of(metrics, [(arm, reference) for arm in arms if arm is not reference], primary)


def answers_of(
    metrics: Iterable[Metric],
    compared: Sequence[Compared],
    primary: Sequence[str],
    labels: Mapping[str, str] | None = None,
) -> list[Answer]:
    """As :func:`answers`, of arms each with what it is compared with. ``labels``: what the arms are called here."""
    by_name = {metric.name: metric for metric in metrics}
    named = [by_name[name] for name in primary if name in by_name]
    called = labels if labels is not None else {arm.key: arm.label for arm, _ in compared}
    return [_answer(metric, compared, called) for metric in named] if compared else []


def _answer(metric: Metric, compared: Sequence[Compared], labels: Mapping[str, str]) -> Answer:
    unit = metric.info.unit
    given = [_of_arm(arm.key, result_of(arm, metric), result_of(base, metric), unit) for arm, base in compared]
    question, opposite = _asked(metric)
    sign, word = _word([one.verdict for one in given], opposite)
    return Answer(
        metric=metric.info.key,
        stream=metric.stream,
        question=_question(question, metric.stream),
        sign=sign,
        word=_where(fixed(word), given, labels),
        text=_figures(given, labels),
        arms=given,
    )


def _asked(metric: Metric) -> tuple[str, str]:
    """The question, whatever the stream, and the word for the opposite."""
    question, opposite = _QUESTIONS.get(metric.info.key) or _BY_DIRECTION[metric.info.direction]
    return question.format(metric.phrase.split(" on stream ")[0]), opposite


def fixed_texts() -> Iterator[str]:
    """All questions, without a stream; all words, without a number of arms; and what stands where no figure is."""
    for metric in METRICS:
        question, opposite = _asked(metric)
        decided: Sequence[Verdict] = ("better", "worse") if opposite else ("higher", "lower")
        stems = [question.removesuffix("?")] if metric.info.key in STREAM_METRICS else []
        yield from (
            question,
            *stems,
            *(_word([verdict], opposite)[1] for verdict in (*decided, "equivalent")),
        )
    others: Sequence[_Verdicts] = (["undecided"], [None], ["not_valid"], ["better", "worse"])
    yield from (*(_word(verdicts, "")[1] for verdicts in others), _NOT_MEASURED)


def result_of(arm: ArmAnalysis, metric: Metric) -> ArmMetric | None:
    """The result of the whole arm, or of the metric's stream."""
    results = arm.metrics
    if metric.stream is not None:
        results = next((one.metrics for one in arm.streams if one.stream == metric.stream), [])
    return next((one for one in results if one.metric == metric.info.key), None)


def _of_arm(arm: str, own: ArmMetric | None, base: ArmMetric | None, unit: str) -> ArmAnswer:
    if own is None or own.comparison is None:
        reason = own.no_comparison_reason if own is not None else None
        return ArmAnswer(arm=arm, verdict=None, text=reason or fixed(_NOT_MEASURED))
    return ArmAnswer(arm=arm, verdict=own.comparison.verdict, text=_figure(own.comparison, own.mean, base, unit))


def _figure(compared: Comparison, own: float | None, base: ArmMetric | None, unit: str) -> Sentence:
    """The change, or both values where a ratio is not defined; the interval where it is all that is known."""
    is_ratio = compared.scale == "ratio"
    if compared.verdict == "undecided":
        if is_far(compared):
            template = (
                "far above, not yet confirmed: {found}"
                if compared.estimate > 1
                else "far below, not yet confirmed: {found}"
            )
            return say(template, found=compared.text)
        change = compared.ci_text or compared.text
        found = change if is_ratio else numbers.in_unit(change, unit)
        return say("{found}", found=found) if compared.ci_text else say("{found} (no interval)", found=found)
    if is_ratio or own is None or base is None or base.mean is None:
        return say("{found}", found=compared.text)
    before, after = numbers.levels([base.mean, own], unit)
    return say("{before} → {after}", before=before, after=after)


def _word(verdicts: _Verdicts, opposite: str) -> tuple[Sign, str]:
    decided = _decided(verdicts)
    if not decided:
        return ("open", "Not decided" if "undecided" in verdicts else "Not comparable")
    if "not_valid" in decided:
        return "not_valid", "Not valid"
    kind = _only_kind(decided)
    if kind is None:
        return "mixed", "It depends on the arm"
    sign, word = _WORDS[kind]
    return sign, word.format(opposite)


def _decided(verdicts: _Verdicts) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict is not None and verdict != "undecided"]


def _only_kind(decided: Sequence[Verdict]) -> Verdict | None:
    """What holds for all of which a difference is known; none where arms differ in different ways."""
    kinds = set(decided) - {"equivalent"}
    if len(kinds) > 1:
        return None
    return kinds.pop() if kinds else "equivalent"


def _question(text: str, stream: str | None) -> Sentence:
    if stream is None:
        return fixed(text)
    return say("{question} (stream {stream})?", question=fixed(text.removesuffix("?")), stream=stream)


def _where(word: Sentence, given: Sequence[ArmAnswer], labels: Mapping[str, str]) -> Sentence:
    """The answer, and for which arms it holds, unless it does for all."""
    decided = _decided([one.verdict for one in given])
    kind = _only_kind(decided)
    having = [labels[one.arm] for one in given if one.verdict == kind]
    if not having or "not_valid" in decided or len(having) == len(given):
        return word
    template = "{answer} for {arms}" if kind == "equivalent" else "{answer} with {arms}"
    return say(template, answer=word, arms=_arms(having, len(given)))


def _arms(having: Sequence[str], of: int) -> Sentence:
    """By name, as long as that is short."""
    if len(having) <= _NAMED:
        return listed(having, " and ")
    return say("{count} of {all} arms", count=len(having), all=of)


_WORDS: Mapping[Verdict, tuple[Sign, str]] = {
    "better": ("yes", "Yes"),
    "worse": ("no", "No, {}"),
    "higher": ("yes", "Yes, higher"),
    "lower": ("yes", "Yes, lower"),
    "equivalent": ("equal", "No difference"),
}


def _figures(given: Sequence[ArmAnswer], labels: Mapping[str, str]) -> Sentence:
    if len(given) == 1:
        return given[0].text
    decided_first = sorted(given, key=lambda one: one.verdict in _OPEN)
    shown = [
        say("`{arm}` {found}", arm=labels[one.arm], found=one.text)
        for one in decided_first[:_SHOWN]
        if one.verdict is not None
    ]
    rest = len(given) - len(shown)
    more = [say("and {count} more", count=rest)] if shown and rest else []
    return listed([*shown, *more]) if shown else Sentence("")
