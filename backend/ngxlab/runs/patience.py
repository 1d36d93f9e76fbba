"""How long a run waits out what disturbs it from outside, and when it gives up. Pure.

A fault of its surroundings (a full disk, a host away, a clock that was set) says nothing about an arm: the trial is
repeated until it goes through, or until such faults have gone on for as long as the plan allows. What somebody does to
nginx or a generator is repeated too, but whoever does the same for the third time at one position is not waited out.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ngxlab_contracts.sentences import say

SURROUNDINGS = frozenset(
    {
        "agent-lost",
        "agent-restarted",
        "agent-stalled",
        "agent-stopped",
        "clock-stepped",
        "disk-full",
        "host-unresponsive",
        "never-ready",
        "overdue",
        "peers-missing",
        "start-timeout",
    }
)
"""Codes of ends that the surroundings of a trial caused."""
INTERFERENCE = frozenset({"generator-killed", "nginx-killed", "upstream-killed"})
"""Codes of ends that somebody on the host caused."""
REPEATABLE = SURROUNDINGS | INTERFERENCE
"""Codes of failed ends that say nothing about the arm, so that the trial is repeated."""

MOST_OF_ONE_CAUSE = 3
_PAUSES_S = (0, 2, 10, 30, 60, 120, 300, 600)
"""Before each repetition, as faults go on: a run of a night asks a hundred times at most."""


class Loss(NamedTuple):
    """An attempt that was lost, or cancelled for what happened on its host."""

    at: datetime
    code: str
    reason: str


class Repeat(NamedTuple):
    """``at``: not before then."""

    at: datetime


class GiveUp(NamedTuple):
    reason: str


def after(losses: Sequence[Loss], patience: timedelta) -> Repeat | GiveUp:
    """What follows the ``losses`` of one position, of which there is at least one, in their order."""
    last = losses[-1]
    by_code = Counter(loss.code for loss in losses if loss.code not in SURROUNDINGS)
    if by_code[last.code] >= MOST_OF_ONE_CAUSE:
        return GiveUp(say("was lost {count} times: {reason}", count=by_code[last.code], reason=last.reason))
    disturbed = _latest_disturbance(losses, patience)
    if disturbed and last.at - disturbed[0].at > patience:
        minutes = round((last.at - disturbed[0].at).total_seconds() / 60)
        return GiveUp(
            say(
                "was disturbed for {minutes} minutes, which is longer than its plan waits: {reason}",
                minutes=minutes,
                reason=last.reason,
            )
        )
    return Repeat(last.at + timedelta(seconds=_PAUSES_S[min(len(disturbed), len(_PAUSES_S)) - 1] if disturbed else 0))


def _latest_disturbance(losses: Sequence[Loss], patience: timedelta) -> Sequence[Loss]:
    """The losses by the surroundings since the last of another kind, or the last after which all was well for long: a
    person may have let the run go on since then."""
    first = len(losses)
    while first and losses[first - 1].code in SURROUNDINGS:
        first -= 1
        if first and losses[first].at - losses[first - 1].at > patience:
            break
    return losses[first:]
