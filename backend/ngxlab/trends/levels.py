"""Level changes of lines, if their runs do not drift (docs/method.md, Trends)."""

from collections.abc import Sequence
from dataclasses import dataclass

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_verdict import ChangePoint, Level, change_points, levels_of, runs_resemble
from ngxlab_verdict.level_shifts import CHANGE_ERROR, FEWEST_FOR_CHANGE

from ngxlab.trends.lines import Line, Stretch

_DRIFT = say(
    "runs drift: those that follow each other resemble each other by more than chance explains, and a drift is easily "
    "taken for a change. To test a change, run old and new as arms of one experiment: they drift together"
)


@dataclass(frozen=True)
class Changes:
    """A line's change points, by stretch. ``none_because``: why none were looked for, or none are shown."""

    found: Sequence[tuple[Stretch, ChangePoint]]
    none_because: Sentence | None = None


def search(lines: Sequence[Line]) -> list[Changes]:
    """Level changes per line, with the error divided among the lines; none if the runs drift."""
    searched = [_search(line, CHANGE_ERROR / len(lines)) for line in lines]
    if runs_resemble([[level for _, _, levels in own for level in levels] for own in searched]):
        return [Changes([], _DRIFT if own else _too_few(line)) for line, own in zip(lines, searched, strict=True)]
    return [
        Changes([(stretch, point) for stretch, points, _ in own for point in points], None if own else _too_few(line))
        for line, own in zip(lines, searched, strict=True)
    ]


def _search(line: Line, level: float) -> list[tuple[Stretch, list[ChangePoint], list[Level]]]:
    """Each stretch that has enough runs."""
    able = [stretch for stretch in line.stretches if len(stretch.runs) >= FEWEST_FOR_CHANGE]
    searched = []
    for stretch in able:
        means = stretch.additive(line.metric) or []
        points = change_points(means, level / len(able))
        numbers = [reading.row.number for reading in stretch.runs]
        searched.append((stretch, points, levels_of(numbers, means, points)))
    return searched


def _too_few(line: Line) -> Sentence:
    most = max((len(stretch.runs) for stretch in line.stretches), default=0)
    few = "too few runs: {most} that can be compared; {needed} are needed"
    return say(few, most=most, needed=FEWEST_FOR_CHANGE)
