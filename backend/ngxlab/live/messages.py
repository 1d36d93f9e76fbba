"""Messages about telemetry between backend processes."""

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
