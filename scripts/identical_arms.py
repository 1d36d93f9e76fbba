"""``make identical-arms``: run real experiments in which nothing differs, and count the claims of their reports.

It can go on overnight and be ended at any time: each result is added to a file, and the table counts all of them.
"""

import argparse
import itertools
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from ngxlab_cli.access import Access
from ngxlab_cli.client import LabClient
from ngxlab_verdict import Experiment, MetricRule, Question, judge
from scipy.stats import binomtest

from scripts.paths import ROOT
from scripts.testbed.stack import Stack, running_stack

PRIMARY = ("requests_per_s", "latency_p99_us")
RULES = {"requests_per_s": MetricRule("more_is_better"), "latency_p99_us": MetricRule("less_is_better")}
CLAIMS = {"better", "worse", "higher", "lower"}
END_PATIENCE_S = 900


class Size(NamedTuple):
    """``measure_s``: of a trial's window; it has to hold the 1,000 responses that a p99 needs."""

    arms: int
    blocks: int
    measure_s: float


def definition(size: Size) -> str:
    """A YAML document whose arms differ by name alone."""
    names = [f"same-{number}" for number in range(1, size.arms + 1)]
    document = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text())
    levels = [{"key": name, "label": name} for name in names]
    document["factors"][0]["levels"] = levels
    document |= {"name": f"{size.arms} identical arms", "baseline": names[0]}
    document["plan"] |= {"blocks": size.blocks, "measure_s": size.measure_s, "primary": list(PRIMARY)}
    return yaml.safe_dump(document, sort_keys=False)


def run_once(stack: Stack, experiment_id: str, size: Size) -> dict[str, Any]:
    """Run it and wait for the end. What :mod:`scripts.identical_arms.tally` counts, as one JSON document."""
    run = stack.api("POST", f"/experiments/{experiment_id}/runs", {"host_id": stack.host_id()})
    ended = stack.wait_for_end(run["id"], END_PATIENCE_S)
    analysis = stack.api("GET", f"/runs/{run['id']}/report")["analysis"]
    errors = [check["key"] for check in analysis["checks"]["results"] if check["severity"] == "error"]
    values = measured(analysis)
    return {
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "arms": size.arms,
        "blocks": size.blocks,
        "seed": run["seed"],
        "state": ended["state"],
        "errors": errors,
        "reported": sorted(verdicts(analysis) & CLAIMS),
        "judged": sorted(_judged(values) & CLAIMS) if values else None,
        "values": values,
    }


def verdicts(analysis: dict[str, Any]) -> set[str]:
    """The words of the report's claims on primary metrics; "not valid" where a check voids them."""
    compared = [metric["comparison"] for arm in analysis["arms"] for metric in arm["metrics"] if metric["comparison"]]
    return {comparison["verdict"] for comparison in compared if comparison["family"] == "primary"}


def measured(analysis: dict[str, Any]) -> dict[str, list[list[float]]]:
    """The primary metrics' values by arm and block; empty where a trial was lost."""
    values: dict[str, list[list[float]]] = {}
    for key in PRIMARY:
        cells = [metric["values"] for arm in analysis["arms"] for metric in arm["metrics"] if metric["metric"] == key]
        values[key] = [[cell["value"] for cell in sorted(arm, key=lambda cell: cell["block"])] for arm in cells]
    sizes = {len(arm) for arms in values.values() for arm in arms}
    return values if len(sizes) == 1 and sizes != {0} else {}


def _judged(values: dict[str, list[list[float]]]) -> set[str]:
    """The words without the checks: an error would hide a false claim."""
    experiment = Experiment(
        arms=[str(arm) for arm in range(len(values[PRIMARY[0]]))],
        metrics=PRIMARY,
        values=np.array([values[key] for key in PRIMARY]),
    )
    return {claim.verdict for claim in judge(experiment, Question(primary=PRIMARY, rules=RULES))}


def read(path: Path) -> list[dict[str, Any]]:
    """One result a line; empty where the file is not there yet."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def append(path: Path, result: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(result) + "\n")


def table(results: Sequence[dict[str, Any]]) -> str:
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


def main() -> int:
    options = _options()
    sizes = [Size(arms, options.blocks, options.measure) for arms in options.arms]
    try:
        if options.experiments:
            with running_stack() as stack:
                _run(stack, sizes, options)
    except KeyboardInterrupt:
        sys.stdout.write("\nended; the results so far:\n")
    sys.stdout.write(table(read(options.results)) + "\n")
    return 0


def _run(stack: Stack, sizes: list[Size], options: argparse.Namespace) -> None:
    experiments = {size: _create(stack, size) for size in sizes}
    for number, size in zip(range(1, options.experiments + 1), itertools.cycle(sizes), strict=False):
        result = run_once(stack, experiments[size], size)
        append(options.results, result)
        words = ", ".join(result["judged"] or []) or ("no claim" if result["judged"] is not None else result["state"])
        errors = f"   (errors: {', '.join(result['errors'])})" if result["errors"] else ""
        sys.stdout.write(f"{number:>5}  {size.arms} arms: {words}{errors}\n")
        sys.stdout.flush()


def _create(stack: Stack, size: Size) -> str:
    with LabClient(Access(stack.url, stack.token)) as client:
        return str(client.import_experiment(definition(size), None).id)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make identical-arms", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--experiments", type=int, default=200, help="0 prints the table of what there is")
    parser.add_argument("--arms", type=int, nargs="+", default=[2, 5], help="taken in turn (default: 2 5)")
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--measure", type=float, default=1, metavar="S", help="window of a trial in seconds")
    parser.add_argument("--results", type=Path, default=ROOT / ".data" / "identical-arms.jsonl", metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
