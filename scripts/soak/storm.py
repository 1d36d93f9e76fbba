"""A storm: runs follow each other while faults are provoked, alone and in pairs, and each run is audited."""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

from scripts.soak.audit import insist, losses, say
from scripts.soak.beginnings import Begun, at_once, scheduled
from scripts.soak.faults import Arsenal, Fault
from scripts.stack.waiting import wait_until
from scripts.testbed.stack import Stack

PLAN = {"blocks": 2, "warmup_s": 0, "measure_s": 3, "cooldown_s": 0}
PAUSE_S = (0.05, 6.0)
PAIR_SHARE = 0.3
SCHEDULED_SHARE = 0.3
"""The share of runs that a schedule starts."""
END_PATIENCE_S = 900
"""A host that is silent for long is waited for five minutes."""


@dataclass
class Storm:
    """``dice`` of the arsenal determine moments and faults. ``hits``: faults that hit something, by name.

    ``scheduled``: how many of the runs a schedule starts.
    """

    stack: Stack
    arsenal: Arsenal
    scheduled: float = SCHEDULED_SHARE
    hits: Counter[str] = field(default_factory=Counter)
    pairs: int = 0
    begun: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    trials: Counter[str] = field(default_factory=Counter)
    losses: list[str] = field(default_factory=list)
    _provoked: Counter[str] = field(default_factory=Counter)
    _last: list[str] = field(default_factory=list)

    def blow(self, enough: Callable[["Storm"], bool]) -> None:
        """Start runs and provoke faults until ``enough``; what was lost or left over is then in ``losses``."""
        begun = self._begin()
        while not enough(self):
            _pause(self.arsenal.dice.uniform(*PAUSE_S))
            count = 2 if self.arsenal.dice.random() < PAIR_SHARE else 1
            self._strike([self.arsenal.draw() for _ in range(count)])
            if self._ended(begun):
                self._judge(begun)
                begun = self._begin()
        try:
            wait_until(lambda: self._ended(begun), f"the end of {begun}", END_PATIENCE_S)
        except TimeoutError as error:
            self.losses.append(str(error))
        self._judge(begun)

    def _begin(self) -> Begun:
        self._provoked = Counter(self._last)  # clocks that were set, say, are felt for some seconds more
        begin = scheduled if self.arsenal.dice.random() < self.scheduled else at_once
        begun: Begun = insist(lambda: begin(self.stack, **PLAN))
        return begun

    def _ended(self, begun: Begun) -> bool:
        insist(lambda: begun.look(self.stack))
        if begun.run_id is None:
            return begun.complaint is not None
        return insist(partial(self.stack.run, begun.run_id))["finished_at"] is not None

    def _strike(self, faults: list[Fault]) -> None:
        """Provoke all at once, and end each in its time."""
        began, self._last = time.monotonic(), [fault.name for fault in faults]
        with ExitStack() as all_over:
            lasting = []
            for fault in faults:
                context = ExitStack()
                all_over.enter_context(context)
                say(f"{fault.name}" + (f" for {fault.lasts_s:.0f} s" if fault.lasts_s else ""))
                self._provoked[fault.name] += 1
                if context.enter_context(fault.provoke()):
                    self.hits[fault.name] += 1
                    lasting.append((fault.lasts_s, context))
            self.pairs += len(lasting) == 2
            for lasts_s, context in sorted(lasting, key=lambda pair: pair[0]):
                _pause(began + lasts_s - time.monotonic())
                context.close()

    def _judge(self, begun: Begun) -> None:
        insist(lambda: begun.look(self.stack))
        if begun.complaint is not None:
            self.losses.append(f"{begun}: {begun.complaint}")
        if begun.run_id is None:
            return
        self.begun[begun.how] += 1
        run = insist(partial(self.stack.run, begun.run_id))
        self.ends[f"{run['state']} {run['state_code'] or ''}".strip()] += 1
        self.trials.update(f"{trial['state']} {trial['code'] or ''}".strip() for trial in run["trials"])
        self.losses += losses(self.stack, run, self._provoked)


def _pause(seconds: float) -> None:
    """Sleep until the random moment of the next fault; this waits for no condition."""
    time.sleep(max(0.0, seconds))
