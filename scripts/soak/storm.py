"""A storm: runs follow each other while faults are provoked, alone and in pairs, and each run is audited."""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from scripts.soak.audit import insist, losses, say
from scripts.soak.faults import Arsenal, Fault
from scripts.stack.waiting import wait_until
from scripts.testbed.stack import Stack

PLAN = {"blocks": 2, "warmup_s": 0, "measure_s": 3, "cooldown_s": 0}
PAUSE_S = (0.05, 6.0)
PAIR_SHARE = 0.3
END_PATIENCE_S = 900
"""A host that is silent for long is waited for five minutes."""


@dataclass
class Storm:
    """``dice`` of the arsenal determine moments and faults. ``hits``: faults that hit something, by name."""

    stack: Stack
    arsenal: Arsenal
    hits: Counter[str] = field(default_factory=Counter)
    pairs: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    trials: Counter[str] = field(default_factory=Counter)
    losses: list[str] = field(default_factory=list)
    _provoked: Counter[str] = field(default_factory=Counter)
    _last: list[str] = field(default_factory=list)

    def blow(self, enough: Callable[["Storm"], bool]) -> None:
        """Start runs and provoke faults until ``enough``; what was lost or left over is then in ``losses``."""
        run_id = self._new_run()
        while not enough(self):
            _pause(self.arsenal.dice.uniform(*PAUSE_S))
            count = 2 if self.arsenal.dice.random() < PAIR_SHARE else 1
            self._strike([self.arsenal.draw() for _ in range(count)])
            if self._ended(run_id):
                self._judge(run_id)
                run_id = self._new_run()
        self._await_end(run_id)
        self._judge(run_id)

    def _new_run(self) -> str:
        self._provoked = Counter(self._last)  # clocks that were set, say, are felt for some seconds more
        run_id: str = insist(lambda: self.stack.start_run(**PLAN))
        return run_id

    def _ended(self, run_id: str) -> bool:
        return insist(lambda: self.stack.run(run_id))["finished_at"] is not None

    def _await_end(self, run_id: str) -> None:
        try:
            wait_until(lambda: self._ended(run_id), f"the end of run {run_id}", END_PATIENCE_S)
        except TimeoutError as error:
            self.losses.append(str(error))

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

    def _judge(self, run_id: str) -> None:
        run = insist(lambda: self.stack.run(run_id))
        self.ends[f"{run['state']} {run['state_code'] or ''}".strip()] += 1
        self.trials.update(f"{trial['state']} {trial['code'] or ''}".strip() for trial in run["trials"])
        self.losses += losses(self.stack, run, self._provoked)


def _pause(seconds: float) -> None:
    """Sleep until the random moment of the next fault; this waits for no condition."""
    time.sleep(max(0.0, seconds))
