"""The simulations of docs/method.md, and their results as tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from scripts.simulations.outcome import Outcome
from scripts.simulations.scenario import Scenario

ARMS = (2, 5, 10)
BLOCKS = (2, 3, 5, 10)
NOISE = (0.02, 0.05, 0.10)
EFFECT = 1.05


class Row(NamedTuple):
    table: str
    title: str
    scenario: Scenario


def rows() -> list[Row]:
    """Each with a seed of its own: its number."""
    every = [*_nothing_differs(), *_harder(), *_findings(), *_positions(), *_noisier()]
    return [row._replace(scenario=row.scenario.with_seed(1000 + number)) for number, row in enumerate(every)]


def _nothing_differs() -> Iterator[Row]:
    for noise in NOISE:
        for blocks in BLOCKS:
            for arms in ARMS:
                yield Row("nothing", f"{100 * noise:g} % | {blocks} | {arms}", Scenario(arms, blocks, noise))


def _harder() -> Iterator[Row]:
    def row(title: str, scenario: Scenario) -> Row:
        return Row("harder", title, scenario)

    stairs = {(arm, metric): 1.3 for arm in range(1, 5) for metric in range(arm - 1)}
    first = {(arm, 0): 1.3 for arm in range(1, 5)}
    yield row("no order declared", Scenario(5, 5, 0.05, primary=None))
    yield row("all arms +30 % in the first metric", Scenario(5, 5, 0.02, effects=first))
    yield row("one arm +30 % in the first metric", Scenario(5, 5, 0.02, effects={(1, 0): 1.3}))
    yield row("each arm +30 % up to another metric", Scenario(5, 5, 0.02, effects=stairs))
    yield row("very quiet: noise 0.5 %, many equivalences", Scenario(5, 5, 0.005))
    yield row("very quiet, 2 arms, 3 blocks", Scenario(2, 3, 0.005))
    yield row("all arms +2 %, just the margin, noise 0.5 %", Scenario(5, 5, 0.005, effects=_everywhere(1.0201)))
    yield row("heavy tails (t, 3 degrees of freedom)", Scenario(5, 5, 0.05, tails="t3"))
    yield row("heavy tails, 2 arms", Scenario(2, 5, 0.05, tails="t3"))
    yield row("blocks differ by 30 %", Scenario(5, 5, 0.05, block=0.3))
    yield row("one arm twice as noisy", Scenario(5, 5, 0.05, noisy_arm=2))
    yield row("one arm three times as noisy", Scenario(5, 5, 0.05, noisy_arm=3))
    yield row("one arm five times as noisy, 10 blocks", Scenario(5, 10, 0.05, noisy_arm=5))
    yield row("one arm three times as noisy, 10 blocks", Scenario(5, 10, 0.05, noisy_arm=3))
    yield row("the baseline twice as noisy", Scenario(5, 5, 0.05, noisy_baseline=2))
    yield row("the baseline three times as noisy", Scenario(5, 5, 0.05, noisy_baseline=3))
    yield row("whole steps as large as the noise, 5 blocks", Scenario(5, 5, 0.3, step=300))
    yield row("whole steps as large as the noise, 10 blocks", Scenario(5, 10, 0.3, step=300))
    yield row("whole steps of the mean, zeros too, 10 blocks", Scenario(5, 10, 0.5, step=1000))


def _everywhere(ratio: float) -> dict[tuple[int, int], float]:
    return {(arm, metric): ratio for arm in range(1, 5) for metric in range(10)}


def _findings() -> Iterator[Row]:
    for arms in ARMS:
        for blocks in (3, 5, 10):
            one = Scenario(arms, blocks, 0.02, primary=2, effects={(1, 0): EFFECT})
            yield Row("found", f"{arms} | {blocks} | one", one)
    for arms in ARMS[1:]:
        effects = {(arm, 0): EFFECT for arm in range(1, arms)}
        yield Row("found", f"{arms} | 5 | all", Scenario(arms, 5, 0.02, primary=2, effects=effects))


def _positions() -> Iterator[Row]:
    for arms in (2, 3, 5):
        for blocks in (3, 5, 10):
            scenario = Scenario(arms, blocks, 0.005, first_position=EFFECT)
            yield Row("position", f"{arms} | {blocks}", scenario)


def _noisier() -> Iterator[Row]:
    for title, noisy in (
        ("one arm three times as noisy", Scenario(5, 5, 0.05, noisy_arm=3)),
        ("the baseline twice as noisy", Scenario(5, 5, 0.05, noisy_baseline=2)),
    ):
        yield Row("harder", f"{title}, 3 blocks", replace(noisy, blocks=3))
        yield Row("harder", f"{title}, two metrics", replace(noisy, metrics=2, primary=2))
        yield Row("harder", f"{title}, in the first metric alone", replace(noisy, noisy_metrics=1))


class _Table(NamedTuple):
    head: str
    cells: Callable[[Outcome], list[float]]


def _shares(outcome: Outcome) -> list[float]:
    return [outcome.false / outcome.experiments, outcome.covered / outcome.experiments]


_TABLES = {
    "nothing": _Table("noise | blocks | arms | a false claim | first metric covered", _shares),
    "harder": _Table("5 arms, 5 blocks, unless said otherwise | a false claim | first metric covered", _shares),
    "position": _Table(
        "arms, of which the first of a block gets 5 % more | blocks | a false claim | first metric covered", _shares
    ),
    "found": _Table(
        "arms | blocks | arms with +5 % | found | a false claim | first metric covered | plain intervals cover",
        lambda outcome: [
            outcome.found / outcome.sought,
            *_shares(outcome),
            outcome.plain / max(outcome.exploratory, 1),
        ],
    ),
}


def as_tables(results: Sequence[tuple[Row, Outcome]]) -> str:
    parts = []
    for key, table in _TABLES.items():
        lines = [f"| {table.head} |", "|" + "---|" * (table.head.count("|") + 1)]
        for row, outcome in results:
            if row.table == key:
                cells = " | ".join(f"{100 * share:.1f} %" for share in table.cells(outcome))
                lines.append(f"| {row.title} | {cells} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
