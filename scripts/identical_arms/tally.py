"""How many experiments made a false claim, with an interval, from the file of results."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scipy.stats import binomtest


def read(path: Path) -> list[dict[str, Any]]:
    """One result a line; empty where the file is not there yet."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def append(path: Path, result: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(result) + "\n")


def table(results: Sequence[dict[str, Any]]) -> str:
    """A line for each number of arms and blocks, and one for all."""
    kinds = sorted({(result["arms"], result["blocks"]) for result in results})
    rows = [(f"{arms} arms, {blocks} blocks", _of(results, arms, blocks)) for arms, blocks in kinds]
    head = f"{'identical':<20} {'experiments':>11} {'false claims':>26} {'voided by a check':>18} {'incomplete':>11}"
    return "\n".join([head, *(_row(name, group) for name, group in [*rows, ("all", list(results))])])


def _of(results: Sequence[dict[str, Any]], arms: int, blocks: int) -> list[dict[str, Any]]:
    return [result for result in results if (result["arms"], result["blocks"]) == (arms, blocks)]


def _row(name: str, results: Sequence[dict[str, Any]]) -> str:
    """A claim is false whether a check voids it or not: the procedure has to hold without the checks' help."""
    complete = [result for result in results if result["judged"] is not None]
    false = sum(bool(result["judged"] or result["reported"]) for result in complete)
    voided = sum(bool(result["errors"]) for result in results)
    share = "-"
    if complete:
        interval = binomtest(false, len(complete)).proportion_ci()
        share = f"{false} = {false / len(complete):.1%} ({interval.low:.1%} to {interval.high:.1%})"
    return f"{name:<20} {len(complete):>11} {share:>26} {voided:>18} {len(results) - len(complete):>11}"
