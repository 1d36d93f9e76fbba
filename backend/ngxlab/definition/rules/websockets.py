"""Rules for streams whose connections are WebSockets: HTTP/1.1, held, and without what is said of requests only."""

from collections.abc import Mapping

from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.sentences import listed, say

from ngxlab.definition.problems import Messages
from ngxlab.definition.schema.streams import Stream

_OF_REQUESTS = ("paths", "requests", "method", "body", "body_bytes", "script", "served_statuses", "rejected_statuses")
"""What a message has not."""


def problems(field: str, stream: Stream) -> Messages:
    if stream.websocket is None:
        return
    if not ENGINES[stream.engine].holds_websockets:
        able = listed([one.key for one in ENGINES.values() if one.holds_websockets], " or ")
        yield (
            f"{field}.websocket",
            say("engine {engine} holds none: use engine {able}", engine=stream.engine, able=able),
        )
    if not stream.keep_alive:
        yield f"{field}.keep_alive", say("must be on: a WebSocket is held")
    for name in _OF_REQUESTS:
        usual = Stream.model_fields[name].get_default(call_default_factory=True, validated_data={})
        if getattr(stream, name) != usual:
            yield f"{field}.{name}", say("is of requests, but a WebSocket carries messages: leave it out")
    if stream.client is not None and not stream.client.is_patient:
        yield f"{field}.client", say("all but round_trip_ms is for requests: leave the rest out")


def in_arm(streams: list[Stream], spoken: Mapping[str, str]) -> Messages:
    """``spoken``: the words of the arm by path."""
    for i, stream in enumerate(streams):
        field = f"streams.{i}.protocol"
        if stream.websocket is not None and spoken.get(field, "http/1.1") != "http/1.1":
            yield field, say("must be http/1.1 with WebSocket, which is an upgrade of it")
