"""What may be said of lines over runs (docs/method.md, Trends). A sentence claims no more than its interval shows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ngxlab_contracts.sentences import Sentence, fixed, listed, say
from ngxlab_verdict import Word, latest
from ngxlab_verdict.decision import WIDEST, Interval
from ngxlab_verdict.level_shifts import CHANGE_ERROR, FEWEST_BEFORE, LATEST_ERROR
from ngxlab_verdict.words import confidence, word

from ngxlab.analysis.verdict import numbers
from ngxlab.trends.lines import Changes, Line, Stretch
from ngxlab.trends.readings import Reading, changes
from ngxlab.trends.schemas import LatestRun, LatestStatement, TrendChangePoint

_ORDER = {"worse": 0, "better": 1, "higher": 2, "lower": 2, "undecided": 3, "equivalent": 4, None: 5}
_CHANGED = ("worse", "better", "higher", "lower")


@dataclass(frozen=True)
class _Said:
    """An interval on the metric's own scale, and as text."""

    verdict: Word
    estimate: float
    low: float
    high: float
    change: str
    ci: Sentence

    @classmethod
    def of(cls, line: Line, stretch: Stretch, interval: Interval, error: float) -> "_Said":
        """``error``: of all lines together."""
        ratio, info = line.metric.info.scale == "ratio", line.metric.info
        margin = math.log1p(stretch.margin) if ratio else stretch.margin
        verdict = word(*interval, margin, info.direction)
        estimate, low, high = map(math.exp, interval) if ratio else interval
        change, ends = numbers.estimate_texts(estimate, low, high, ratio=ratio, unit=info.unit)
        if not ratio:
            change, ends = numbers.in_unit(change, info.unit), numbers.in_unit(ends or "", info.unit)
        return cls(
            verdict,
            estimate,
            low,
            high,
            change,
            say("{level:g} % CI {interval}", level=confidence(error), interval=ends or ""),
        )


def said_of(line: Line, changes_found: Changes) -> list[TrendChangePoint]:
    """The line's change points that exceed the margin."""
    found = []
    for stretch, point in changes_found.found:
        said = _Said.of(line, stretch, point.interval, CHANGE_ERROR)
        if said.verdict not in _CHANGED:
            continue
        first, last, at = stretch.runs[point.start], stretch.runs[point.at - 1], stretch.runs[point.at]
        sentence = say(
            "{verdict} from {run} on: {subject} {change} against {span} ({interval}, unpaired)",
            verdict=fixed(said.verdict.capitalize()),
            run=f"#{at.row.number}",
            subject=_subject(line),
            change=said.change,
            span=_runs(first, last),
            interval=said.ci,
        )
        found.append(
            TrendChangePoint(
                run=at.row.number,
                before_from=first.row.number,
                before_to=last.row.number,
                until=stretch.runs[point.end - 1].row.number,
                verdict=said.verdict,
                estimate=said.estimate,
                ci_low=said.low,
                ci_high=said.high,
                text=_with_changes(sentence, at, last),
            )
        )
    return found


def _with_changes(sentence: Sentence, at: Reading, before: Reading) -> Sentence:
    """With what else changed there: it may be the reason, or not."""
    found = [one.text for one in changes(at, before)]
    if not found:
        return sentence
    return say("{sentence}. Changed there as well: {found}", sentence=sentence, found=listed(found, "; "))


def latest_of(lines: Sequence[Line], newest: Reading) -> LatestRun:
    """All statements on the latest run are one family."""
    said = sorted(
        (_latest(line, newest, LATEST_ERROR / len(lines)) for line in lines), key=lambda one: _ORDER[one.verdict]
    )
    words = [one.verdict for one in said]
    changed = [verdict for verdict in words if verdict in _CHANGED]
    if changed:
        counts = {verdict: changed.count(verdict) for verdict in dict.fromkeys(changed)}
        how = listed(
            say("{verdict} in {count} of {lines}", verdict=fixed(verdict), count=count, lines=len(words))
            for verdict, count in counts.items()
        )
        return LatestRun(run=newest.row.number, sign="yes", word=say("Yes: {how}", how=how), statements=said)
    if all(verdict == "equivalent" for verdict in words):
        return LatestRun(run=newest.row.number, sign="no", word=say("No"), statements=said)
    answer = say("Not decided")
    if all(verdict is None for verdict in words):
        most = max(len(line.stretches[-1].runs) for line in lines)
        answer = say("Too few runs" if most <= FEWEST_BEFORE else "Cannot be said")
    return LatestRun(run=newest.row.number, sign="open", word=answer, statements=said)


def _latest(line: Line, newest: Reading, level: float) -> LatestStatement:
    verdict, text = _against_earlier(line, newest, level)
    return LatestStatement(metric=line.metric.name, arm=line.arm, verdict=verdict, text=text)


def _against_earlier(line: Line, newest: Reading, level: float) -> tuple[Word | None, Sentence]:
    stretch = line.stretches[-1]
    if not stretch.runs or stretch.runs[-1] is not newest:
        reason = next((one.missing for one in reversed(line.points) if one.run == newest.row.number), None)
        return _not_compared(line, reason or say("the run has no such arm"))
    means, count = stretch.additive(line.metric), len(stretch.runs) - 1
    if means is None:
        return _not_compared(line, say("a mean is not positive: no ratio"))
    if count < FEWEST_BEFORE:
        few = "too few runs: {count} before it can be compared; {needed} are needed"
        return _not_compared(line, say(few, count=count, needed=FEWEST_BEFORE))
    found = latest(means, level)
    if found is None or (line.metric.info.scale == "ratio" and _is_too_wide(found.interval)):
        return _not_compared(line, say("the runs before it do not give an interval"))
    said = _Said.of(line, stretch, found.interval, LATEST_ERROR)
    return said.verdict, say(
        "{verdict}: {subject}: {change} against {span} ({interval}, n = {runs} runs, unpaired)",
        verdict=fixed(said.verdict.capitalize()),
        subject=_subject(line),
        change=said.change,
        span=_runs(stretch.runs[-1 - found.before], stretch.runs[-2]),
        interval=said.ci,
        runs=found.before,
    )


def _not_compared(line: Line, reason: Sentence) -> tuple[None, Sentence]:
    return None, say("No comparison: {subject}: {reason}", subject=_subject(line), reason=reason)


def _subject(line: Line) -> Sentence:
    return say("{metric} with `{arm}`", metric=fixed(line.metric.phrase), arm=line.label)


def _is_too_wide(interval: Interval) -> bool:
    return interval.high - interval.low > 2 * WIDEST


def _runs(first: Reading, last: Reading) -> Sentence:
    return say("{low} to {high}", low=f"#{first.row.number}", high=f"#{last.row.number}")
