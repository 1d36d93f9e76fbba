"""Rows of tables: what is simulated, and the cells that it gives."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

Cells = list[Any]
"""Shares as numbers, and other cells as text."""


class Study(NamedTuple):
    """A row. ``measure(count, seed)``: its cells, from so many experiments."""

    table: str
    title: str
    measure: Callable[[int, int], Cells]
    seed: int = 0

    def shares(self, count: int) -> Cells:
        return self.measure(count, self.seed)


def drawn(shares: Callable[[int, np.random.Generator], Cells], count: int, seed: int) -> Cells:
    return shares(count, np.random.default_rng(seed))


def numbered(first_seed: int, rows: Iterator[Study]) -> list[Study]:
    """Each with a seed of its own: its number."""
    return [row._replace(seed=first_seed + number) for number, row in enumerate(rows)]


def as_tables(heads: Mapping[str, str], results: Sequence[tuple[Study, Cells]]) -> str:
    parts = []
    for table, head in heads.items():
        lines = [f"| {head} |", "|" + "---|" * (head.count("|") + 1)]
        for study, cells in results:
            if study.table == table:
                shown = (cell if isinstance(cell, str) else f"{100 * cell:.1f} %" for cell in cells)
                lines.append(f"| {study.title} | {' | '.join(shown)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
