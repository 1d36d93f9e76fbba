"""The state machines of runs and trials. Pure functions without a database, so every transition can be tested.

Run:    queued -> running -> completed | failed | cancelled, and queued -> cancelled | failed
        failed -> queued, when somebody retries its failed trials
        completed -> queued, when somebody adds blocks, and back where that is cancelled before it starts
Trial:  pending -> dispatched -> preparing -> ready -> warmup -> measuring -> finishing -> completed
        any state that is not final -> failed | cancelled | lost | skipped
"""

from enum import StrEnum

from ngxlab_contracts.sentences import fixed, say

from ngxlab.core.errors import Conflict


class RunState(StrEnum):
    queued = "queued"
    running = "running"
    completed = "completed"
    failed = "failed"
    cancelled = "cancelled"

    @property
    def final(self) -> bool:
        return self in {RunState.completed, RunState.failed, RunState.cancelled}


WAITING = say("The hosts are free. Waiting for a coordinator.")
"""Why a queued run that waits for nothing else has not started."""


class TrialState(StrEnum):
    """``lost``: the host or its agent vanished; the trial says nothing about its arm and is repeated.
    ``skipped``: somebody decided to continue without it.
    """

    pending = "pending"
    dispatched = "dispatched"
    preparing = "preparing"
    ready = "ready"
    warmup = "warmup"
    measuring = "measuring"
    finishing = "finishing"
    completed = "completed"
    failed = "failed"
    cancelled = "cancelled"
    lost = "lost"
    skipped = "skipped"

    @property
    def final(self) -> bool:
        return self in FINAL

    def precedes(self, other: "TrialState") -> bool:
        """Whether a trial in this state can still reach ``other``."""
        if self.final:
            return False
        return other.final or _TRIAL_PROGRESS.index(other) > _TRIAL_PROGRESS.index(self)


FINAL = (
    TrialState.completed,
    TrialState.failed,
    TrialState.cancelled,
    TrialState.lost,
    TrialState.skipped,
)
_TRIAL_PROGRESS = [state for state in TrialState if state not in FINAL]
UNDER_WAY = tuple(state for state in _TRIAL_PROGRESS if state != TrialState.pending)
"""States in which some host has work to do."""

_RUN_TRANSITIONS = {
    RunState.queued: {RunState.running, RunState.completed, RunState.cancelled, RunState.failed},
    RunState.running: {RunState.completed, RunState.failed, RunState.cancelled},
    RunState.failed: {RunState.queued},
    RunState.completed: {RunState.queued},
}

STATE_OF_PHASE = {
    "preparing": TrialState.preparing,
    "ready": TrialState.ready,
    "warmup": TrialState.warmup,
    "measure": TrialState.measuring,
    "cooldown": TrialState.finishing,
    "cleanup": TrialState.finishing,
}
"""The trial state that corresponds to a phase reported by a host."""


def check_run_transition(current: RunState, wanted: RunState) -> None:
    """Raises Conflict if a run cannot go from ``current`` to ``wanted``."""
    if wanted not in _RUN_TRANSITIONS.get(current, set()):
        raise Conflict(
            "The run is {current} and cannot become {wanted}.",
            current=fixed(current),
            wanted=fixed(wanted),
            code=f"run-{current}",
        )


def check_trial_transition(current: TrialState, wanted: TrialState) -> None:
    """Raises Conflict if a trial cannot go from ``current`` to ``wanted``. Phases may be skipped, not repeated.

    A trial that failed or was lost may still be skipped.
    """
    if wanted == TrialState.skipped and current in {TrialState.failed, TrialState.lost}:
        return
    if current.precedes(wanted):
        return
    raise Conflict(
        "The trial is {current} and cannot become {wanted}.",
        current=fixed(current),
        wanted=fixed(wanted),
        code=f"trial-{current}",
    )
