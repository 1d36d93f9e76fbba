"""What the live stream sends."""

from dataclasses import dataclass
from functools import cached_property

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
