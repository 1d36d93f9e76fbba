"""Run all simulations and write their tables into docs/simulations.md, between its markers."""

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from scripts.paths import ROOT
from scripts.simulations import arms, capacity, decided, ending, interim, learned, product, runs
from scripts.simulations.command_line import agreement
from scripts.simulations.tables import Study, as_tables, numbered

BEGIN = "<!-- begin: written by `make simulate` -->"
END = "<!-- end of simulations -->"
DOCUMENT = ROOT / "docs" / "simulations.md"
HEADS = arms.HEADS | interim.HEADS | ending.HEADS | product.HEADS | runs.HEADS | decided.HEADS | learned.HEADS
HEADS |= capacity.HEADS
FEWER = {*decided.HEADS, *capacity.HEADS, "histories"}


def studies() -> list[Study]:
    return [
        *numbered(9001, decided.rows()),  # the longest come first
        *numbered(1000, arms.rows()),
        *numbered(2000, interim.rows()),
        *numbered(2500, ending.rows()),
        *numbered(12_000, iter([*product.rows(), *runs.rows()])),
        *numbered(15_000, learned.rows()),
        *numbered(16_000, capacity.rows()),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=1000, help="of each scenario (default: %(default)s)")
    parser.add_argument("--processes", type=int, help="default: one a core")
    parser.add_argument("--print", action="store_true", help="print the tables instead of writing the document")
    arguments = parser.parse_args()
    results = []
    with ProcessPoolExecutor(arguments.processes) as pool:
        wanted = studies()
        counts = [arguments.experiments // (5 if study.table in FEWER else 1) for study in wanted]
        for study, cells in zip(wanted, pool.map(Study.shares, wanted, counts), strict=True):
            results.append((study, cells))
            print(f"{study.table:10} {study.title:48} {cells}", flush=True)
    text = "\n\n".join([f"{arguments.experiments:,} experiments of each kind.", as_tables(HEADS, results), agreement()])
    if arguments.print:
        print(text)
    else:
        write(DOCUMENT, text)


def write(path: Path, text: str) -> None:
    """Put ``text`` between the markers. Raises ValueError without them."""
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} needs a line {BEGIN} and, after it, a line {END}")
    path.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")


if __name__ == "__main__":
    main()
