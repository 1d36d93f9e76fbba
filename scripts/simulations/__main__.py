"""Run simulations and write their tables into docs/simulations.md, between its markers, with what they say of goals."""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from scripts.paths import ROOT
from scripts.simulations import (
    arms,
    capacity,
    decided,
    distributions,
    ending,
    interim,
    learned,
    percentiles,
    product,
    runs,
    selections,
    sizing,
)
from scripts.simulations.command_line import agreement
from scripts.simulations.goals import goals_met
from scripts.simulations.tables import Cells, Study, as_table, numbered, sections

BEGIN = "<!-- begin: written by `make simulate` -->"
END = "<!-- end of simulations -->"
DOCUMENT = ROOT / "docs" / "simulations.md"
HEADS = arms.HEADS | distributions.HEADS | learned.HEADS | interim.HEADS | ending.HEADS | decided.HEADS
HEADS |= product.HEADS | percentiles.HEADS | runs.HEADS | capacity.HEADS | selections.HEADS | sizing.HEADS
FEWER = {*capacity.HEADS, *sizing.HEADS, "histories", "steps"}
GOALS, COMMAND = "goals", "ngxlab judge"


def studies() -> list[Study]:
    return [
        *numbered(9001, decided.rows()),  # the longest come first
        *numbered(1000, arms.rows()),
        *numbered(2000, interim.rows()),
        *numbered(2500, ending.rows()),
        *numbered(12_000, iter([*product.rows(), *runs.rows()])),
        *numbered(15_000, learned.rows()),
        *numbered(16_000, capacity.rows()),
        *numbered(17_000, distributions.rows()),
        *numbered(18_000, percentiles.rows()),
        *numbered(19_000, selections.rows()),
        *numbered(20_000, sizing.rows()),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=1000, help="of each scenario (default: %(default)s)")
    parser.add_argument("--processes", type=int, help="default: one a core")
    parser.add_argument("--tables", nargs="+", choices=HEADS, help="these only: the others stay as they are")
    parser.add_argument("--print", action="store_true", help="print the tables instead of writing the document")
    arguments = parser.parse_args()
    wanted = [study for study in studies() if arguments.tables is None or study.table in arguments.tables]
    counts = {table: arguments.experiments // (5 if table in FEWER else 1) for table in HEADS}
    put: Callable[[str, str], None] = print_section if arguments.print else partial(write, DOCUMENT)
    put(COMMAND, agreement())
    for table, text in simulated(wanted, counts, arguments.processes):
        put(table, text)


def simulated(wanted: Sequence[Study], counts: dict[str, int], processes: int | None) -> Iterator[tuple[str, str]]:
    """Each table, as soon as it is whole. ``counts``: of experiments, by table."""
    results: dict[str, list[tuple[Study, Cells]]] = {}
    open_rows = Counter(study.table for study in wanted)
    with ProcessPoolExecutor(processes) as pool:
        found = pool.map(Study.shares, wanted, [counts[study.table] for study in wanted])
        for study, cells in zip(wanted, found, strict=True):
            print(f"{study.table:10} {study.title:48} {cells}", flush=True)
            results.setdefault(study.table, []).append((study, cells))
            open_rows[study.table] -= 1
            if not open_rows[study.table]:
                yield study.table, as_table(HEADS[study.table], results[study.table], counts[study.table])


def print_section(name: str, text: str) -> None:
    print(_text({name: text}))


def write(path: Path, name: str, text: str) -> None:
    """Put a table in the place of that of its name, between the markers, at once: all of them take hours.

    Raises ValueError without markers.
    """
    before, begin, rest = path.read_text().partition(BEGIN)
    kept, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} needs a line {BEGIN} and, after it, a line {END}")
    all_tables = sections(kept) | {name: text}
    in_order = {one: all_tables[one] for one in (*HEADS, COMMAND) if one in all_tables}
    tables = _text({GOALS: goals_met(in_order)} | in_order)
    path.write_text(f"{before}{begin}\n\n{tables}\n\n{end}{after}")


def _text(tables: dict[str, str]) -> str:
    return "\n\n".join(f"### {name}\n\n{text}" for name, text in tables.items())


if __name__ == "__main__":
    main()
