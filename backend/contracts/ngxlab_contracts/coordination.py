"""How a coordinator drives a run. The backend makes every decision; the coordinator only carries it out."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from ngxlab_contracts.base import Items, Message, Real


class HeldLease(Message):
    run_id: UUID
    holder: UUID


class CoordinatorPulse(Message):
    """Sent every few seconds. ``broker_age_s``: since this coordinator last asked Redis for messages. It renews the
    ``leases``."""

    instance: UUID
    broker_age_s: Annotated[Real, Field(ge=0, le=1e9)]
    leases: Items[HeldLease] = Field(default_factory=list, max_length=1000)


class PulseReply(Message):
    """``lost``: the runs whose lease somebody else has, or which are over."""

    lost: list[UUID] = Field(default_factory=list)


class LeaseRequest(Message):
    """``holder`` is unique to one delivery of the task, so that a second delivery is refused."""

    holder: UUID


class LeaseGrant(Message):
    """Renew well before ``ttl_s`` has passed, with a :class:`CoordinatorPulse`."""

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
