"""Messages about telemetry between backend processes."""

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from ngxlab_contracts.telemetry import Batch
from pydantic import BaseModel


class LiveBatch(BaseModel):
    """A stored batch that viewers are to see."""

    trial_id: UUID
    host_id: UUID
    batch: Batch


def live_batch_json(trial_id: UUID, host_id: UUID, batch: bytes) -> str:
    """A :class:`LiveBatch` as JSON. ``batch`` is the JSON of a validated Batch, inserted as it is: serialising a large
    one again would take as long as parsing it."""
    return f'{{"trial_id":"{trial_id}","host_id":"{host_id}","batch":{batch.decode()}}}'


_RESUMABLE = frozenset({"points", "note", "action"})
"""Only telemetry has a position to resume from: the run's state may be ahead of points that are still to come."""


@dataclass(frozen=True)
class LiveEvent:
    """``seq`` is the stream position from which a viewer may resume; ``data`` is JSON text."""

    seq: int
    event: str
    data: str

    @cached_property
    def wire(self) -> bytes:
        """As it is sent: written once, whoever many receive it."""
        position = f"id: {self.seq}\n" if self.event in _RESUMABLE else ""
        return f"{position}event: {self.event}\ndata: {self.data}\n\n".encode()
