"""What the tables say of each goal of the method: the range of what was found, and which rows miss it."""

import math
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from scripts.simulations.runs import HISTORY, NIGHTS
from scripts.simulations.tables import Figures

ERRORS = 2.5
"""Standard errors by which a row may lie beyond a goal: of 100 rows that are just at it, chance brings one so far."""


YEAR = " a year"


class Goal(NamedTuple):
    """``column``: a word of its name. ``bound``: the most, or the ``least``. ``rows``: a pattern of the titles that
    count. ``unit``: shares and counts in a year scatter by chance."""

    words: str
    table: str
    column: str
    bound: float
    rows: str = ""
    least: bool = False
    unit: str = " %"

    def is_met_by(self, value: float) -> bool:
        return value >= self.bound if self.least else value <= self.bound

    def may_be_met_by(self, value: float, experiments: int) -> bool:
        error = 0.0
        if self.unit == " %":
            error = math.sqrt(self.bound * (100 - self.bound) / experiments)
        elif self.unit == YEAR:
            error = math.sqrt(self.bound * NIGHTS / HISTORY / experiments)
        return self.is_met_by(value + (ERRORS if self.least else -ERRORS) * error)


_FALSE = "false claim"
_LOG_NORMAL = "each arm's scatter times log-normal(0.5)"
GOALS = [
    Goal("a false claim where nothing differs", "nothing", _FALSE, 5),
    *(
        Goal(f"the same, 12 kinds of noise, {blocks} blocks", "laws", f"{blocks}$", 5, rows="^(?!neighbouring)")
        for blocks in (3, 5, 10, 20)
    ),
    *(
        Goal(
            f"the same, neighbouring trials correlate by 0.5, {blocks} blocks", "laws", f"{blocks}$", 5, "^neighbouring"
        )
        for blocks in (5, 20)
    ),
    Goal("the same, some arms or metrics differ", "harder", _FALSE, 5, rows="^(?!.*nois(y|ier))"),
    Goal(f"the same, {_LOG_NORMAL}", "unequal", _FALSE, 6, rows="^each"),
    Goal("the same, one arm or the baseline three times as noisy, from 5 blocks", "unequal", _FALSE, 6, "three.*[58]$"),
    Goal("the same with 3 blocks", "unequal", _FALSE, 6, rows="three.*3$"),
    Goal("all intervals of the first metric cover, 5 blocks", "laws", "covered", 95, "^(?!neighbouring)", least=True),
    Goal("equivalent, though all differ by the margin", "equivalent", "by the margin", 5),
    Goal("equivalent, though all differ by twice the margin", "equivalent", "twice", 0.5),
    Goal("an exploratory word where nothing differs", "exploratory", "word", 5),
    Goal("rate +5 % found, 2 % noise, 5 blocks", "second", "^found", 76, r"^rate.*\| 5$", least=True),
    Goal("p99 +50 % found as second metric, 10 % noise, 5 blocks", "second", "^found", 85, r"50 %.*\| 5$", least=True),
    Goal("points between what a plan promises and what comes true", "second", "too much", 5, unit=""),
    Goal("a false claim, learned scatter is as it was or less", "learned", _FALSE, 5, rows="^(the same|half)"),
    Goal("the same, variance twice", "learned", _FALSE, 5, rows="^twice the"),
    Goal("the same, scatter twice", "learned", _FALSE, 5, rows=r"^twice \|"),
    Goal("+7 % found after 3 blocks with learned scatter", "learned", "^.7 % found", 90, r"^the same \| 3", least=True),
    Goal("a false claim at any look", "peeking", _FALSE, 5, rows="^(?!.*(only one|neighbouring))"),
    Goal("the same, neighbouring trials correlate by 0.5", "peeking", _FALSE, 5, rows="neighbouring"),
    Goal("a false claim of a run that stops when precise", "stopping", _FALSE, 5),
    Goal("its interval covers", "stopping", "covered", 95, least=True),
    Goal("a false claim of a run that stops when decided or hopeless", "ending", _FALSE, 5),
    Goal("a false claim of a run with added blocks", "added", _FALSE, 5),
    *(
        Goal(f"decided after N more, {words}, {side}", "decided", "after N", bound, rows, least=side == "at least")
        for words, rows in (("no effect", r"\| 2 \| 0 %$"), ("an effect", r"\| 2 \| [1-9]\d* %$"))
        for side, bound in (("at least", 75), ("at most", 90))
    ),
    Goal("a false effect of factors", "factors", _FALSE, 5),
    Goal("the same, cells scatter differently, 3 blocks", "factors-unequal", _FALSE, 6, rows="3$"),
    Goal("the same, from 5 blocks", "factors-unequal", _FALSE, 6, rows="[58]$"),
    Goal("effects shown where three factors act together by 10 %", "acting-together", "shown", 5, rows="^10"),
    Goal("p99 or p99.9, percent off", "percentiles", "less the truth", 0.5, unit=""),
    Goal("a false claim, p99 of arms with other numbers of responses", "counts", _FALSE, 5),
    *(
        Goal(f"a threshold on p99 {said} at its limit, {words}", "gates", said, 2.5, rows)
        for words, rows in (("trials scatter by 5 or 10 %", "^(5|10)"), ("by 30 %", "^30"))
        for said in ("passes", "fails")
    ),
    Goal("two arms with the same capacity told apart, 5 blocks", "capacities", "told apart", 5, rows="twins"),
    Goal("two arms told apart, one with 10 % more", "capacities", "told apart", 95, rows="10 % more", least=True),
    Goal("the interval of a capacity over 5 blocks covers", "capacities", "interval of an arm covers", 93, least=True),
    Goal("a capacity derived at another goal is covered, 5 blocks", "sizing", "covers", 95, least=True),
    Goal("two runs of the same thing told apart", "two-runs", _FALSE, 5, "nothing|scatter by (0.5|1|2) %$"),
    Goal("false alarms of nightly runs, independent", "histories", "in 365", 1, rows="2 %$", unit=YEAR),
    Goal("the same, odd or correlated or drifting", "histories", "in 365", 1, rows="2 %,", unit=YEAR),
]


def goals_met(sections: Mapping[str, str]) -> str:
    """A row for each goal whose table is there. What lies beyond it by :data:`ERRORS` standard errors misses it."""
    rows = [_row(goal, Figures.of(sections[goal.table])) for goal in GOALS if goal.table in sections]
    return "\n".join(["| what | goal | found | mean | rows | |", "|---|---|---|---|---|---|", *rows])


def _row(goal: Goal, figures: Figures) -> str:
    column = next(place for place, name in enumerate(figures.columns) if re.search(goal.column, name))
    texts = {title: cells[column] for title, cells in figures.rows.items() if re.search(goal.rows, title)}
    found = {title: abs(float(text.rstrip(" %"))) for title, text in texts.items() if text}
    missed = sum(not goal.may_be_met_by(value, figures.experiments) for value in found.values())
    is_met = all(goal.is_met_by(value) for value in found.values())
    said = f"**missed** in {missed}" if missed else "met" if is_met else "met but for chance"
    mean = math.fsum(found.values()) / len(found)
    bound = f"{'≥' if goal.least else '≤'} {goal.bound:g}{goal.unit}"
    span = f"{_range(min, found)} to {_range(max, found)}{goal.unit}"
    return f"| [{goal.words}](#{goal.table}) | {bound} | {span} | {mean:.1f}{goal.unit} | {len(found)} | {said} |"


def _range(end: Callable[..., float], found: Mapping[str, float]) -> str:
    return f"{end(found.values()):g}"
