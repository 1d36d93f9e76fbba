"""``make soak``: an hour of random faults on a private stack, with an audit after each run; ends with 1 on any loss.

The backend and the jobs service run twice; a third of the runs is started by schedules.

A short form is a test (e2e/outages/test_storm.py).
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from scripts.soak.faults import KINDS, Arsenal, small_disk
from scripts.soak.outage import endured, service_away
from scripts.soak.storm import Storm
from scripts.testbed.links import laid_links
from scripts.testbed.replicas import replicated_stack
from scripts.testbed.set_clocks import give_clocks
from scripts.testbed.stack import Stack
from scripts.testbed.wiring import wire


def main() -> int:
    options = _options()
    sys.stdout.write(f"seed {options.seed}, {options.minutes:g} minutes\n")
    with replicated_stack() as stack, armed(stack, options) as arsenal:
        storm, deadline = Storm(stack, arsenal), time.monotonic() + 60 * options.minutes
        storm.blow(lambda _: time.monotonic() > deadline)
        if options.outage:
            storm.losses += endured(stack, service_away(stack, "postgres"), 60 * options.outage)
    sys.stdout.write(table(storm))
    return 1 if storm.losses else 0


@contextmanager
def armed(stack: Stack, options: argparse.Namespace) -> Iterator[Arsenal]:
    """All faults that this machine allows, against a stack that runs already."""
    with small_disk(stack) as disk, laid_links() as lay:
        clocks = give_clocks(stack)
        links, dice = wire(stack, lay), random.Random(options.seed)
        yield Arsenal(stack, links, clocks, disk, dice, options.long_share, options.often)


def table(storm: Storm) -> str:
    """How many faults of which kind hit, how runs and trials ended, and what was lost."""
    kinds: Counter[str] = Counter()
    for name, count in storm.hits.items():
        kinds[name.split()[0]] += count
    lines = [f"{kinds.total()} faults, {storm.pairs} times two at once"]
    for kind in sorted(kinds):
        lines.append(f"  {kind:<34}{kinds[kind]:>5}")
        lines += [f"    {name:<32}{count:>5}" for name, count in sorted(storm.hits.items()) if name.split()[0] == kind]
    for title, counted in (("runs begun", storm.begun), ("runs ended", storm.ends), ("trials ended", storm.trials)):
        lines.append(f"{title}: {counted.total()}")
        lines += [f"  {what:<34}{count:>5}" for what, count in counted.most_common()]
    lines += [f"LOST: {loss}" for loss in storm.losses] or ["nothing lost, nothing doubled, nothing left over"]
    return "\n".join(lines) + "\n"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--long-share", type=float, default=0.1, help="share of lasting faults of up to two minutes")
    parser.add_argument("--outage", type=float, default=0, metavar="MINUTES",
                        help="afterwards, PostgreSQL is away for so long in the middle of a trial")  # fmt: skip
    parser.add_argument("--often", nargs="+", default=(), choices=KINDS, help="kinds that come ten times as often")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
