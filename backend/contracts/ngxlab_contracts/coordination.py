"""How a coordinator drives a run. Every answer is the backend's decision; the coordinator only carries it out."""

from typing import Literal
from uuid import UUID

from ngxlab_contracts.base import Message


class LeaseRequest(Message):
    """``holder`` is unique to one delivery of the task, so that a second delivery is refused."""

    holder: UUID


class LeaseGrant(Message):
    """Renew well before ``ttl_s`` is over. ``cancel_requested`` reaches the coordinator with each renewal."""

    ttl_s: float
    cancel_requested: bool


class TrialAssignment(Message):
    trial_id: UUID
    host_ids: list[UUID]
    state: str


class NextStep(Message):
    """``trial``: dispatch it (or go on watching it). ``wait``: a host is not free yet, ask again; the backend
    answers after a while or as soon as that changes. ``finished``: the run has reached its final state.
    """

    kind: Literal["trial", "wait", "finished"]
    trial: TrialAssignment | None = None
    run_state: str


class TrialStatus(Message):
    """``ready``: every host answers. ``ended``: completed, failed, cancelled or lost."""

    trial_id: UUID
    state: str
    ready: bool
    ended: bool
