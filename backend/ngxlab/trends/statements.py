"""What may be said of lines over runs (docs/method.md, Trends). A sentence claims no more than its interval shows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ngxlab_verdict import Word, latest
from ngxlab_verdict.decision import WIDEST, Interval
from ngxlab_verdict.families import ERROR
from ngxlab_verdict.level_shifts import FEWEST_BEFORE
from ngxlab_verdict.words import word

from ngxlab.analysis.verdict import numbers
from ngxlab.trends.levels import Changes
from ngxlab.trends.lines import Line, Stretch
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
    ci: str

    @classmethod
    def of(cls, line: Line, stretch: Stretch, interval: Interval) -> "_Said":
        ratio, info = line.metric.info.scale == "ratio", line.metric.info
        margin = math.log1p(stretch.margin) if ratio else stretch.margin
        verdict = word(*interval, margin, info.direction)
        estimate, low, high = map(math.exp, interval) if ratio else interval
        text, ci = numbers.estimate_texts(estimate, low, high, ratio=ratio, unit=info.unit)
        if not ratio:
            text, ci = numbers.in_unit(text, info.unit), numbers.in_unit(ci or "", info.unit)
        return cls(verdict, estimate, low, high, text, f"95 % CI {ci}")


def said_of(line: Line, changes_found: Changes) -> list[TrendChangePoint]:
    """The line's change points that exceed the margin."""
    found = []
    for stretch, point in changes_found.found:
        said = _Said.of(line, stretch, point.interval)
        if said.verdict not in _CHANGED:
            continue
        first, last, at = stretch.runs[point.start], stretch.runs[point.at - 1], stretch.runs[point.at]
        span = _runs(first, last)
        sentence = (
            f"{said.verdict.capitalize()} from #{at.row.number} on: {line.metric.phrase} with `{line.label}` "
            f"{said.change} against {span} ({said.ci}, unpaired){_beside(at, last)}"
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
                text=sentence,
            )
        )
    return found


def _beside(at: Reading, before: Reading) -> str:
    """What else changed there: it may be the reason, or not."""
    found = [one.text for one in changes(at, before)]
    return f". Changed there as well: {'; '.join(found)}" if found else ""


def latest_of(lines: Sequence[Line], newest: Reading) -> LatestRun:
    """All statements on the latest run are one family."""
    said = sorted((_latest(line, newest, ERROR / len(lines)) for line in lines), key=lambda one: _ORDER[one.verdict])
    words = [one.verdict for one in said]
    changed = [verdict for verdict in words if verdict in _CHANGED]
    if changed:
        counts = {verdict: changed.count(verdict) for verdict in dict.fromkeys(changed)}
        how = ", ".join(f"{verdict} in {count} of {len(words)}" for verdict, count in counts.items())
        return LatestRun(run=newest.row.number, sign="yes", word=f"Yes: {how}", statements=said)
    if all(verdict == "equivalent" for verdict in words):
        return LatestRun(run=newest.row.number, sign="no", word="No", statements=said)
    answer = "Not decided"
    if all(verdict is None for verdict in words):
        most = max(len(line.stretches[-1].runs) for line in lines)
        answer = "Too few runs" if most <= FEWEST_BEFORE else "Cannot be said"
    return LatestRun(run=newest.row.number, sign="open", word=answer, statements=said)


def _latest(line: Line, newest: Reading, level: float) -> LatestStatement:
    verdict, text = _against_earlier(line, newest, level)
    return LatestStatement(metric=line.metric.name, arm=line.arm, verdict=verdict, text=text)


def _against_earlier(line: Line, newest: Reading, level: float) -> tuple[Word | None, str]:
    stretch, subject = line.stretches[-1], f"{line.metric.phrase} with `{line.label}`"
    if not stretch.runs or stretch.runs[-1] is not newest:
        reason = next((one.missing for one in reversed(line.points) if one.run == newest.row.number), None)
        return None, f"No comparison: {subject}: {reason or 'the run has no such arm'}"
    means, count = stretch.additive(line.metric), len(stretch.runs) - 1
    if means is None:
        return None, f"No comparison: {subject}: a mean is not positive: no ratio"
    if count < FEWEST_BEFORE:
        few = f"too few runs: {count} before it can be compared; {FEWEST_BEFORE} are needed"
        return None, f"No comparison: {subject}: {few}"
    found = latest(means, level)
    if found is None or (line.metric.info.scale == "ratio" and _is_too_wide(found.interval)):
        return None, f"No comparison: {subject}: the runs before it do not give an interval"
    said = _Said.of(line, stretch, found.interval)
    span = _runs(stretch.runs[-1 - found.before], stretch.runs[-2])
    runs = f"n = {found.before} runs, unpaired"
    return said.verdict, f"{said.verdict.capitalize()}: {subject}: {said.change} against {span} ({said.ci}, {runs})"


def _is_too_wide(interval: Interval) -> bool:
    return interval.high - interval.low > 2 * WIDEST


def _runs(first: Reading, last: Reading) -> str:
    return f"#{first.row.number} to #{last.row.number}"
