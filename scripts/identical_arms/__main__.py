"""``make identical-arms``: run real experiments in which nothing differs, and count the claims of their reports.

It can go on overnight and be ended at any time: each result is added to a file, and the table counts all of them.
"""

import argparse
import itertools
import sys
from pathlib import Path

from ngxlab_cli.access import Access
from ngxlab_cli.client import LabClient

from scripts.identical_arms import tally
from scripts.identical_arms.experiment import Size, definition, run_once
from scripts.paths import ROOT
from scripts.testbed.stack import Stack, running_stack


def main() -> int:
    options = _options()
    sizes = [Size(arms, options.blocks, options.measure) for arms in options.arms]
    try:
        if options.experiments:
            with running_stack() as stack:
                _run(stack, sizes, options)
    except KeyboardInterrupt:
        sys.stdout.write("\nended; the results so far:\n")
    sys.stdout.write(tally.table(tally.read(options.results)) + "\n")
    return 0


def _run(stack: Stack, sizes: list[Size], options: argparse.Namespace) -> None:
    experiments = {size: _create(stack, size) for size in sizes}
    for number, size in zip(range(1, options.experiments + 1), itertools.cycle(sizes), strict=False):
        result = run_once(stack, experiments[size], size)
        tally.append(options.results, result)
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
