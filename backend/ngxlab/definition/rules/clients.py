"""Rules for clients that are a round trip away: connections open in time, and there is memory for what is under way."""

from ngxlab_contracts.sentences import say

from ngxlab.definition.problems import Messages
from ngxlab.definition.resolve import Numbers
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.streams import Stream

_MOST_ROUND_TRIPS = 4
"""Of a request on a new connection: with TLS 1.2."""
_MOST_UNDER_WAY = 1 << 30
"""Bytes that a generator holds of the requests that are under way."""


def in_arm(definition: Definition, values: Numbers) -> Messages:
    """Problems that show only with an arm's own numbers; ``values`` lacks the invalid ones."""
    for i, stream in enumerate(definition.streams):
        round_trip_s = values.get(f"streams.{i}.client.round_trip_ms", 0) / 1000
        if stream.timeout_s <= _MOST_ROUND_TRIPS * round_trip_s:
            message = (
                "must be more than {trips} round trips of {seconds:g} s, which a request takes on a new connection"
            )
            yield f"streams.{i}.timeout_s", say(message, trips=_MOST_ROUND_TRIPS, seconds=round_trip_s)
        size, connections = _longest_body(stream), values.get(f"streams.{i}.connections", 0)
        if round_trip_s and size * connections > _MOST_UNDER_WAY:
            message = (
                "with bodies of {size:,} B, so many could have more than {most:,} MiB under way, which the generator "
                "holds for a round trip: at most {fits:,} connections"
            )
            fits = _MOST_UNDER_WAY // size
            yield f"streams.{i}.connections", say(message, size=size, most=_MOST_UNDER_WAY >> 20, fits=fits)


def _longest_body(stream: Stream) -> int:
    """In bytes."""
    if stream.requests:
        return max(one.size_of_body for one in stream.requests)
    return len(stream.body.encode()) if stream.body is not None else stream.body_bytes or 0
