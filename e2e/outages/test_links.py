"""Every link between the services is stalled or cut for ten seconds in the middle of a run: no trial is lost.

Each is slow and lossy for a while; some lose answers, so that requests come twice, and repeat later what they asked.
Two minutes of anything are part of ``make soak`` and ``make outage``.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager

import pytest

from scripts.soak import audit
from scripts.testbed.links import Link, laid_links
from scripts.testbed.stack import Stack, running_stack
from scripts.testbed.wiring import ASKING, wire

Outage = Callable[[Link], AbstractContextManager[None]]
OUTAGE_S = 10
BAD_S = 3
"""A link that is bad: too short for an outage, long enough for some answers to come too late."""
DELAY_S = 1.0
PLAN = {"blocks": 3, "warmup_s": 0, "measure_s": 5, "cooldown_s": 0}


@pytest.fixture(scope="module")
def wired() -> Iterator[tuple[Stack, Mapping[str, Link]]]:
    with running_stack() as stack, laid_links() as lay:
        yield stack, wire(stack, lay)


@pytest.mark.timeout(480)  # six outages, and a run that lasts longer
@pytest.mark.parametrize("outage", [Link.stalled, Link.cut])
def test_an_outage_of_any_link_costs_no_trial(wired: tuple[Stack, Mapping[str, Link]], outage: Outage) -> None:
    stack, links = wired
    run_id = stack.start_run(**PLAN)
    stack.trial_in(run_id, "measuring")
    for link in links.values():
        with outage(link):
            time.sleep(OUTAGE_S)  # the outage itself: this waits for no condition
    require_complete(stack, run_id)


@pytest.mark.timeout(300)
def test_links_that_are_slow_and_lossy_lose_answers_or_repeat_cost_no_trial(
    wired: tuple[Stack, Mapping[str, Link]],
) -> None:
    stack, links = wired
    run_id = stack.start_run(**PLAN | {"blocks": 1})
    stack.trial_in(run_id, "measuring")
    for name in ASKING:
        for outage in (links[name].unanswered, links[name].repeated):
            with outage():
                time.sleep(BAD_S)  # as above
    for link in links.values():
        with link.delayed(DELAY_S), link.losing():
            time.sleep(BAD_S)  # as above
    require_complete(stack, run_id)


def require_complete(stack: Stack, run_id: str) -> None:
    run = stack.wait_for_end(run_id, seconds=240)
    assert run["state"] == "completed", run["state_reason"]
    assert {trial["state"] for trial in run["trials"]} == {"completed"}
    assert audit.complaints(stack, run, stack.api("GET", f"/runs/{run_id}/report"), Counter()) == []
