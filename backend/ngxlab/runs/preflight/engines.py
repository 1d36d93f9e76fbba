"""Load engines that a definition's streams need on their hosts."""

from ngxlab_contracts.hosts import NATIVE_ENGINES

from ngxlab.core.errors import Conflict
from ngxlab.definition.schema.definition import Definition
from ngxlab.runs.preflight.assignment import Assigned


def refuse_missing_engines(definition: Definition, entry: Assigned) -> None:
    """Raises Conflict naming the host, the stream and how to fix it."""
    for stream in definition.streams:
        if stream.slot != entry.slot:
            continue
        if stream.engine == "wrk":
            _require_wrk(entry)
        else:
            _require_native(entry, stream.key, stream.engine)


def _require_wrk(entry: Assigned) -> None:
    if entry.inventory.wrk is None:
        raise Conflict(f"{entry.host.name} has no wrk. Install it there; the agent detects it.", code="no-wrk")


def _require_native(entry: Assigned, stream: str, engine: str) -> None:
    capability = next((one for one in entry.inventory.capabilities if one.name == NATIVE_ENGINES), None)
    if capability is None or not capability.available:
        reason = capability.detail if capability is not None else "its agent is too old to have it"
        detail = f"Stream {stream} needs the engine {engine}, which {entry.host.name} cannot run: {reason}."
        raise Conflict(detail, code="no-native-engines")
