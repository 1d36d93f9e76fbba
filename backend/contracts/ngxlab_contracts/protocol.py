"""The version of the messages between backend and agents, and which of its parts a message needs.

The major number grows where an older side could do something wrong; both sides must have the same. The minor number
grows with each addition. The backend is upgraded first: it understands all agents of its major version that are not
newer than itself, and gives an older one only what that one understands. Of an agent of another major version it
understands who speaks, so that the host's page can say which of the two must be upgraded.

So an addition to what agents receive is optional, and carries the version that it came with, :func:`since`. Where it
has its default it is not sent at all.
"""

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo


class Protocol(NamedTuple):
    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``MAJOR.MINOR``. Raises ``ValueError``."""
        major, minor = text.split(".")
        return cls(int(major), int(minor))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    def understands(self, other: "Protocol") -> bool:
        """Whether who speaks this version understands all of the other."""
        return self.major == other.major and self.minor >= other.minor


CURRENT = Protocol(2, 8)
"""2.0: with ngxlab 0.9. Each later minor version says here what it added.

2.1: ``NginxSpec.watches_tls``; a configuration test also sends one real request of each stream.
2.2: the certificate of ``NginxSpec``, the protocol of ``UpstreamServerSpec``; ``StreamSpec.protocol``,
``protocol_varies`` and ``requests_at_once``.
2.3: ``OpenLoopSpec.capacity`` and ``curve``, and the events :class:`CapacityStep`, :class:`CapacityFound` and
:class:`CurveStep`;
``StreamSpec.requests`` and ``requests_seed``.
2.4: ``StreamSpec.tls_client``; histograms of ``handshake``, and the counts of handshakes in ``EngineTotals``.
2.5: ``TrialSpec.profile``, and the event :class:`Profile`;
``OpenLoopSpec.replay``; ``StreamSpec.client``, and the count ``EngineTotals.aborted``; ``NginxSpec.tcp``.
2.6: ``NginxSpec.phases``, and the event :class:`Phases`;
``CurveSpec.connections``, and ``CurveStep.connections``; ``CapacityStep.unmet``.
2.7: ``TlsClientSpec.early_data_percent``, the count ``EngineTotals.early_requests``, and histograms of
``connect`` and ``first_byte``.
2.8: ``StreamSpec.websocket``, and ``Responder.echoes``;
``NginxSpec.served``, and the events :class:`ServedRequests` and :class:`NginxMemory`.
"""
SERVED = Protocol(2, 8)
"""The oldest version that is asked what nginx did with requests: older agents read their times alone."""
PHASES = Protocol(2, 6)
"""The oldest version that is asked for the phases of requests: profiles of older agents do without."""
FIRST_ANSWERS = Protocol(2, 1)
"""The oldest version that is asked for first answers."""
FIRST = Protocol(CURRENT.major, 0)
"""The oldest version that this one understands."""

ProtocolText = Annotated[str, Field(pattern=r"^\d{1,4}\.\d{1,4}$")]


def since(minor: int) -> dict[str, Any]:
    """For ``json_schema_extra`` of a field or of a message: the minor version that it came with."""
    return {"since": str(Protocol(CURRENT.major, minor))}


def needed(message: BaseModel) -> Protocol:
    """The oldest version that understands all that this message says: an addition with its default says nothing."""
    return max(_needed(message), default=FIRST)


def wire_form(message: BaseModel) -> dict[str, Any]:
    """The message as JSON data, without additions that say nothing: older agents refuse what they do not know."""
    form: dict[str, Any] = _pruned(message, message.model_dump(mode="json"))
    return form


def _needed(value: object) -> Iterator[Protocol]:
    if isinstance(value, BaseModel):
        yield from _came_with(type(value).model_config.get("json_schema_extra"))
        for name, field in type(value).model_fields.items():
            held = getattr(value, name)
            if not _is_default(field, held):
                yield from _came_with(field.json_schema_extra)
            yield from _needed(held)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _needed(item)


def _pruned(value: object, form: Any) -> Any:
    if isinstance(value, BaseModel):
        silent = {
            name
            for name, field in type(value).model_fields.items()
            if any(_came_with(field.json_schema_extra)) and _is_default(field, getattr(value, name))
        }
        return {name: _pruned(getattr(value, name), held) for name, held in form.items() if name not in silent}
    if isinstance(value, list | tuple):
        return [_pruned(item, held) for item, held in zip(value, form, strict=True)]
    return form


def _is_default(field: FieldInfo, value: object) -> bool:
    return bool(value == field.get_default(call_default_factory=True, validated_data={}))


def _came_with(extra: object) -> Iterator[Protocol]:
    if isinstance(extra, dict) and "since" in extra:
        yield Protocol.parse(extra["since"])
