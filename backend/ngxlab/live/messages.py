"""What backend processes tell each other about telemetry."""

from uuid import UUID

from ngxlab_contracts.telemetry import Batch
from pydantic import BaseModel


class LiveBatch(BaseModel):
    """A stored batch, on its way to viewers."""

    trial_id: UUID
    host_id: UUID
    batch: Batch


def live_batch_json(trial_id: UUID, host_id: UUID, batch: bytes) -> str:
    """A :class:`LiveBatch` as JSON. ``batch`` is that of a checked Batch: writing a large one anew takes as long as
    reading it."""
    return f'{{"trial_id":"{trial_id}","host_id":"{host_id}","batch":{batch.decode()}}}'
