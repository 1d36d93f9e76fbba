"""Load engines that a definition's streams need on their hosts."""

from ngxlab_contracts.engines import ENGINES

from ngxlab.core.errors import Conflict
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.streams import Stream
from ngxlab.runs.preflight.assignment import Assigned


def refuse_missing_engines(definition: Definition, entry: Assigned) -> None:
    """Raises Conflict naming the host, the stream and how to fix it."""
    for stream in definition.streams:
        if stream.slot != entry.slot:
            continue
        engine = ENGINES[stream.engine]
        if engine.program is not None:
            _require_program(entry, engine.program)
        if engine.capability is not None:
            _require_capability(entry, stream, engine.capability)


def _require_program(entry: Assigned, name: str) -> None:
    if name not in entry.inventory.engine_programs:
        raise Conflict(f"{entry.host.name} has no {name}. Install it there; the agent detects it.", code=f"no-{name}")


def _require_capability(entry: Assigned, stream: Stream, name: str) -> None:
    capability = next((one for one in entry.inventory.capabilities if one.name == name), None)
    if capability is None or not capability.available:
        reason = capability.detail if capability is not None else "its agent is too old to have it"
        detail = f"Stream {stream.key} needs the engine {stream.engine}, which {entry.host.name} cannot run: {reason}."
        raise Conflict(detail, code=f"no-{name}")
