"""Run all simulations and write their tables into docs/method.md, between its markers."""

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from scripts.paths import ROOT
from scripts.simulations import decided
from scripts.simulations.command_line import agreement
from scripts.simulations.interim import LookedAtRow, Seen, look, looked_at_rows
from scripts.simulations.interim import as_tables as looked_at_tables
from scripts.simulations.outcome import Outcome, simulate
from scripts.simulations.product import study
from scripts.simulations.tables import Row, as_tables, rows

BEGIN = "<!-- begin: written by `make simulate` -->"
END = "<!-- end of simulations -->"
METHOD = ROOT / "docs" / "method.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=1000, help="of each scenario (default: %(default)s)")
    parser.add_argument("--processes", type=int, help="default: one a core")
    parser.add_argument("--print", action="store_true", help="print the tables instead of writing the document")
    arguments = parser.parse_args()
    wanted, repeated = rows(), list(decided.rows())
    with ProcessPoolExecutor(arguments.processes) as pool:
        later = pool.map(decided.Row.continued, repeated, [arguments.experiments // 5] * len(repeated))
        outcomes = pool.map(_simulate, wanted, [arguments.experiments] * len(wanted))
        results: dict[str, tuple[Row, Outcome]] = {}
        for row, outcome in zip(wanted, outcomes, strict=True):
            results[f"{row.table} {row.title}"] = (row, outcome)
            print(f"{row.table:8} {row.title:48} false {outcome.false / outcome.experiments:.4f}", flush=True)
        after_more = list(zip((row.title for row in repeated), later, strict=True))
        looked_at = looked_at_rows()
        studies = study.studies()
        shares = pool.map(study.Study.shares, studies, [arguments.experiments] * len(studies))
        seen = list(zip(looked_at, pool.map(_look, looked_at, [arguments.experiments] * len(looked_at)), strict=True))
    parts = [
        f"{arguments.experiments:,} experiments of each kind.",
        as_tables(list(results.values())),
        looked_at_tables(seen),
        study.as_tables(list(zip(studies, shares, strict=True))),
        decided.as_table(after_more),
        agreement(),
    ]
    text = "\n\n".join(parts)
    if arguments.print:
        print(text)
    else:
        write(METHOD, text)


def _simulate(row: Row, count: int) -> Outcome:
    return simulate(row.scenario, count)


def _look(row: LookedAtRow, count: int) -> Seen:
    return look(row.at, count)


def write(path: Path, text: str) -> None:
    """Put ``text`` between the markers. Raises ValueError without them."""
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{path} needs a line {BEGIN} and, after it, a line {END}")
    path.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}")


if __name__ == "__main__":
    main()
