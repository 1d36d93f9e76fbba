"""What backend processes tell each other about telemetry."""

from uuid import UUID

from ngxlab_contracts.telemetry import Batch
from pydantic import BaseModel


class LiveBatch(BaseModel):
    """A stored batch, on its way to viewers."""

    trial_id: UUID
    host_id: UUID
    batch: Batch
