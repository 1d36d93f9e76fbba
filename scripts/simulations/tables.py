"""Rows of tables: what is simulated, and the cells that it gives; a document of such tables, each under its name."""

import re
from collections.abc import Callable, Iterator, Sequence
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


def as_table(head: str, results: Sequence[tuple[Study, Cells]], count: int) -> str:
    """``count``: of the experiments of each row."""
    titles = results[0][0].title.count("|") + 1
    rule = "|" + "---|" * titles + "---:|" * (head.count("|") + 1 - titles)
    rows = [_row(study.title, cells) for study, cells in results]
    return "\n".join([f"{count:,} experiments a row.", "", f"| {head} |", rule, *rows])


def _row(title: str, cells: Cells) -> str:
    shown = (cell if isinstance(cell, str) else f"{100 * cell:.1f} %" for cell in cells)
    return f"| {title} | {' | '.join(shown)} |"


def sections(text: str) -> dict[str, str]:
    """What stands under each heading ``### NAME``, by name."""
    parts = re.split(r"^### (.+)$", text, flags=re.MULTILINE)
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


class Figures(NamedTuple):
    """A table as it stands in the document. ``rows``: title -> cells, as text. ``columns``: names of those cells."""

    experiments: int
    columns: list[str]
    rows: dict[str, list[str]]

    @classmethod
    def of(cls, section: str) -> "Figures":
        head, rule, *rows = (_cells(line) for line in section.splitlines() if line.startswith("|"))
        titles = rule.index("---:")
        experiments = int(section.split(" ", 1)[0].replace(",", ""))
        return cls(experiments, head[titles:], {" | ".join(row[:titles]): row[titles:] for row in rows})


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]
