"""``make outage``: a service is away, or a link broken, for minutes in the middle of a trial; ends with 1 on any loss.

A storm holds processes up for two minutes at most. Here a service really ends, is away for as long as one likes, and is
started again: no trial may be lost by that, since what a host has measured waits there.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from scripts.soak.audit import insist, losses, say
from scripts.stack.waiting import wait_until
from scripts.testbed.links import CONDITIONS, Link, laid_links
from scripts.testbed.stack import Stack, running_stack
from scripts.testbed.wiring import AGENT_BROKER, WIRES, wire

SERVICES = ("postgres", "redis", "backend", "front", "jobs", "coordinator")
LINKS = (*(one.name for one in WIRES), AGENT_BROKER)
DELAY_S = 2.0
PLAN = {"blocks": 2, "warmup_s": 0, "measure_s": 10, "cooldown_s": 0}
END_PATIENCE_S = 900


@dataclass(frozen=True)
class Outage:
    """``provoke``: entering begins it, leaving ends it."""

    name: str
    provoke: Callable[[], AbstractContextManager[None]]


def main() -> int:
    options = _options()
    found: list[str] = []
    with running_stack() as stack, laid_links() as lay:
        links = wire(stack, lay) if set(options.of) & set(LINKS) else {}
        for outage in _outages(stack, links, options):
            found += endured(stack, outage, 60 * options.minutes)
    sys.stdout.write("".join(f"LOST: {loss}\n" for loss in found) or "nothing lost, doubled or left over\n")
    return 1 if found else 0


def _outages(stack: Stack, links: Mapping[str, Link], options: argparse.Namespace) -> Iterator[Outage]:
    for name in options.of:
        if name in SERVICES:
            yield service_away(stack, name)
        else:
            yield from (link_broken(links[name], how) for how in options.how)


def service_away(stack: Stack, service: str) -> Outage:
    @contextmanager
    def stopped() -> Iterator[None]:
        stack.supervise("stop", service)
        try:
            yield
        finally:
            stack.supervise("start", service)

    return Outage(f"{service} away", stopped)


def link_broken(link: Link, how: str) -> Outage:
    return Outage(f"{how} of {link.name}", lambda: CONDITIONS[how](link, DELAY_S))


def endured(stack: Stack, outage: Outage, seconds: float, **plan: object) -> list[str]:
    """What a run lost by an outage that began while its first trial was measured."""
    run_id = stack.start_run(**PLAN | plan)
    trial_id = stack.trial_in(run_id, "measuring")
    say(f"{outage.name} for {seconds:g} s, in the middle of a trial")
    with outage.provoke():
        time.sleep(seconds)  # the outage itself: this waits for no condition
    back = time.monotonic()

    def run() -> Any:
        return insist(lambda: stack.run(run_id))

    _await("an answer of the backend", stack.answers, back)
    _await("the end of that trial", lambda: _trial(run(), trial_id)["finished_at"] is not None, back)
    _await("the end of the run", lambda: run()["finished_at"] is not None, back)
    ended = run()
    say(f"trials: {dict(Counter(trial['state'] for trial in ended['trials']))}")
    found = losses(stack, ended, Counter())
    if ended["state"] != "completed":
        found.append(f"the run ended as {ended['state']}: {ended['state_reason']}")
    return [f"{outage.name}: {loss}" for loss in found]


def _await(what: str, is_so: Callable[[], bool], since: float) -> None:
    wait_until(is_so, what, END_PATIENCE_S)
    say(f"{what}: {time.monotonic() - since:.1f} s after the outage")


def _trial(run: Any, trial_id: str) -> Any:
    return next(trial for trial in run["trials"] if trial["id"] == trial_id)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make outage", description=__doc__)
    parser.add_argument("--of", nargs="+", default=["postgres"], choices=(*SERVICES, *LINKS), metavar="NAME",
                        help=f"one after another: {', '.join((*SERVICES, *LINKS))}")  # fmt: skip
    parser.add_argument(
        "--how",
        nargs="+",
        default=["cut"],
        choices=sorted(CONDITIONS.keys() - {"repeat"}),
        help="what happens to links",
    )
    parser.add_argument("--minutes", type=float, default=5, help="of each outage")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
