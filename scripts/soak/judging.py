"""Judges a run that is over, whatever happened meanwhile."""

import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from scripts.soak import audit
from scripts.soak.leftovers import await_none
from scripts.stack.waiting import wait_until
from scripts.testbed.stack import Stack


def losses(stack: Stack, run: Any, provoked: Counter[str]) -> list[str]:
    """What was lost, stored twice or left over. ``provoked``: the faults since the run began."""
    found = []
    try:
        await_none(stack, [trial["id"] for trial in run["trials"]])
    except TimeoutError as error:
        found.append(str(error))
    report = insist(lambda: stack.api("GET", f"/runs/{run['id']}/report"))
    found += insist(lambda: audit.complaints(stack, run, report, provoked))
    say(f"run {run['id']} {run['state']} {run['state_code'] or ''}: {'; '.join(found) or 'nothing lost'}")
    return found


def insist(ask: Callable[[], Any], seconds: float = 90) -> Any:
    """The answer of a server that may just have been killed; repeated until it answers."""
    answers: list[Any] = []

    def asked() -> bool:
        try:
            answers.append(ask())
        except (OSError, IndexError):
            return False
        return True

    wait_until(asked, "an answer of the backend", seconds)
    return answers[0]


def say(text: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')}  {text}\n")
    sys.stdout.flush()
