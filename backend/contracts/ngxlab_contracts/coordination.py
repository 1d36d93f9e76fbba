"""How a coordinator drives a run. The backend makes every decision; the coordinator only carries it out."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from ngxlab_contracts.base import Message, Real


class CoordinatorPulse(Message):
    """Sent every few seconds. ``broker_age_s``: since this coordinator last asked Redis for messages."""

    instance: UUID
    broker_age_s: Annotated[Real, Field(ge=0, le=1e9)]


class LeaseRequest(Message):
    """``holder`` is unique to one delivery of the task, so that a second delivery is refused."""

    holder: UUID


class LeaseGrant(Message):
    """Renew well before ``ttl_s`` has passed. ``cancel_requested`` reaches the coordinator with each renewal."""

    ttl_s: float
    cancel_requested: bool


class TrialAssignment(Message):
    trial_id: UUID
    host_ids: list[UUID]
    state: str


class NextStep(Message):
    """``trial``: dispatch it, or continue to watch it. ``wait``: a host is not free yet, so ask again; the backend
    answers as soon as that changes, or after some seconds. ``finished``: the run has reached its final state.
    """

    kind: Literal["trial", "wait", "finished"]
    trial: TrialAssignment | None = None
    run_state: str


class TrialStatus(Message):
    """``ready``: every host is ready to start. ``ended``: completed, failed, cancelled, lost or skipped."""

    trial_id: UUID
    state: str
    ready: bool
    ended: bool
