"""A row of a table: what is simulated, and the shares that it gives."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scripts.simulations.product import factors, positions, recovery, slopes, thresholds, trends, two_runs

Shares = list[float]
FIRST_SEED = 12_000


class Study(NamedTuple):
    """``measure(count, random)``: the shares over ``count`` experiments, a cell each."""

    table: str
    title: str
    measure: Callable[[int, np.random.Generator], Shares]
    seed: int = 0

    def shares(self, count: int) -> Shares:
        return self.measure(count, np.random.default_rng(self.seed))


_TABLES: Mapping[str, tuple[str, Callable[[], Iterator[tuple[str, Callable[..., Shares]]]]]] = {
    "recovery": (recovery.HEAD, recovery.rows),
    "factors": (factors.HEAD, factors.rows),
    "slopes": (slopes.HEAD, slopes.rows),
    "thresholds": (thresholds.HEAD, thresholds.rows),
    "positions": (positions.HEAD, positions.rows),
    "two-runs": (two_runs.HEAD, two_runs.rows),
    "trends": (trends.HEAD, trends.rows),
}


def studies() -> list[Study]:
    """Each with a seed of its own: its number."""
    every = [(table, *row) for table, (_, rows) in _TABLES.items() for row in rows()]
    return [Study(*row, seed=FIRST_SEED + number) for number, row in enumerate(every)]


def as_tables(results: Sequence[tuple[Study, Shares]]) -> str:
    parts = []
    for table, (head, _) in _TABLES.items():
        lines = [f"| {head} |", "|" + "---|" * (head.count("|") + 1)]
        for study, shares in results:
            if study.table == table:
                lines.append(f"| {study.title} | {' | '.join(f'{100 * share:.1f} %' for share in shares)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
