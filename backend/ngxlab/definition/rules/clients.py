"""Rules for clients that are a round trip away (connections open in time, and there is memory for what is under way),
and for those that send requests with the first message of TLS."""

from collections.abc import Mapping

from ngxlab_contracts.sentences import say
from ngxlab_policy.fragments import Fragment

from ngxlab.definition.problems import Messages
from ngxlab.definition.resolve import Numbers, ResolveError, number, number_fields
from ngxlab.definition.rules.protocols import outermost
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import LevelValue
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


def early_data_in_arm(
    definition: Definition,
    variables: dict[str, LevelValue],
    spoken: Mapping[str, str],
    fragments: Mapping[str, Fragment],
) -> Messages:
    """What keeps requests from going with the first message of TLS (0-RTT), although a stream asks for that.
    ``spoken``: the words of the arm by path, ``fragments``: its configuration."""
    fields = number_fields(definition)
    for i, stream in enumerate(definition.streams):
        client, resumed = (f"streams.{i}.tls_client.{name}_percent" for name in ("early_data", "resumed"))
        if client not in fields:
            continue
        try:
            if not number(client, fields[client], variables):
                continue
            resumes = number(resumed, fields[resumed], variables)
        except ResolveError:
            continue  # which is a problem of its own
        yield from _sends_early(f"streams.{i}", stream, spoken)
        if not resumes:
            yield client, say("needs sessions of earlier handshakes: raise resumed_percent")
        if all(outermost(fragments.get(name), "ssl_early_data") != "on" for name in ("server", "http")):
            yield client, say("is what nginx does not take: write ssl_early_data on; in nginx.server")


def _sends_early(field: str, stream: Stream, spoken: Mapping[str, str]) -> Messages:
    of_tls = f"{field}.tls_client"
    if stream.keep_alive:
        yield f"{field}.keep_alive", say("must be off for early data, which is the first request of a connection")
    if stream.client is not None and stream.client.send_bytes_per_s is not None:
        yield f"{field}.client.send_bytes_per_s", say("is not for early data: leave one of them out")
    if spoken.get(f"{field}.protocol", "http/1.1") != "http/1.1":
        yield f"{field}.protocol", say("must be http/1.1 for early data")
    if spoken.get(f"{of_tls}.version") == "1.2":
        yield f"{of_tls}.version", say("must be 1.3 for early data")
    if spoken.get(f"{of_tls}.sessions") == "ids":
        yield f"{of_tls}.sessions", say("must be tickets for early data")
