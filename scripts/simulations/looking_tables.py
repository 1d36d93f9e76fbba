"""The simulations of runs that are looked at, and their results as tables for docs/method.md."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scripts.simulations.looking import LookedAt, Plan, Seen
from scripts.simulations.scenario import Scenario

MOST_BLOCKS = 20
EFFECT = 1.05
_PLANS: dict[Plan, str] = {
    "precise": "at most 20 blocks",
    "fixed": "20 blocks, the last look judged as the planned end",
    "careless": "20 blocks, each look judged as if it were the only one",
}


class LookedAtRow(NamedTuple):
    table: str
    title: str
    at: LookedAt


def looked_at_rows() -> list[LookedAtRow]:
    """Each with a seed of its own: its number."""
    every = [*_peeking(), *_stopping()]
    return [row._replace(at=row.at.with_seed(2000 + number)) for number, row in enumerate(every)]


def _peeking() -> Iterator[LookedAtRow]:
    for noise in (0.02, 0.10):
        for plan, words in _PLANS.items():
            for arms in (2, 5):
                scenario = Scenario(arms, MOST_BLOCKS, noise, metrics=2, primary=2)
                title = f"{words} | {100 * noise:g} % | {arms}"
                yield LookedAtRow("peeking", title, LookedAt(scenario, plan))


def _stopping() -> Iterator[LookedAtRow]:
    for arms in (2, 5):
        for start in (3, 5):
            for noise, half_width in ((0.02, 0.02), (0.05, 0.05), (0.02, 0.05)):
                scenario = Scenario(arms, MOST_BLOCKS, noise, metrics=2, primary=2, effects={(1, 0): EFFECT})
                title = f"{arms} | {start} | {100 * noise:g} % | ±{100 * half_width:g} %"
                yield LookedAtRow("stopping", title, LookedAt(scenario, "precise", start, half_width))


class _Table(NamedTuple):
    head: str
    cells: Callable[[Seen], list[str]]


def _percent(part: int, of: int) -> str:
    return f"{100 * part / of:.1f} %"


_TABLES = {
    "peeking": _Table(
        "looks after every block from 2 to 20 | noise | arms | a false claim at any look",
        lambda seen: [_percent(seen.false, seen.runs)],
    ),
    "stopping": _Table(
        "arms | first look | noise | stop at | blocks, on average | first metric covered | a false claim at any look "
        "| +5 % found at the stop",
        lambda seen: [
            f"{seen.blocks / seen.runs:.1f}",
            _percent(seen.covered, seen.runs),
            _percent(seen.false, seen.runs),
            _percent(seen.found, seen.sought),
        ],
    ),
}


def as_tables(results: Sequence[tuple[LookedAtRow, Seen]]) -> str:
    parts = []
    for key, table in _TABLES.items():
        lines = [f"| {table.head} |", "|" + "---|" * (table.head.count("|") + 1)]
        lines += [f"| {row.title} | {' | '.join(table.cells(seen))} |" for row, seen in results if row.table == key]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
