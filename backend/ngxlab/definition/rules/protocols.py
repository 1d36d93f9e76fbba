"""Rules for what streams speak: their engine must, and nginx must offer it, or another version is measured."""

from collections.abc import Mapping

from ngxlab_contracts.engines import ENGINES, HYBRID_GROUP
from ngxlab_contracts.sentences import listed, say
from ngxlab_policy import lua
from ngxlab_policy.fragments import Fragment, with_servers
from ngxlab_policy.syntax import ConfigSyntaxError, parse

from ngxlab.definition.problems import Messages
from ngxlab.definition.schema.clients import TlsClient
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.streams import Stream

HTTP2, HTTP3 = "http/2", "http/3"
_OF_QUIC = frozenset({"server_name", "group", "cipher"})
"""What clients of HTTP/3 may bring to TLS."""


def in_arm(definition: Definition, protocols: Mapping[str, str], fragments: Mapping[str, Fragment]) -> Messages:
    """``protocols``: what streams speak in the arm, by the path of the field; those that are broken are missing."""
    offered = offers_http2(fragments)
    for i in range(len(definition.streams)):
        client = f"streams.{i}.tls_client"
        if (protocols.get(f"{client}.sessions"), protocols.get(f"{client}.version")) == ("ids", "1.3"):
            yield f"{client}.sessions", say("must be tickets: TLS 1.3 has no ids of sessions")
    for i, stream in enumerate(definition.streams):
        field = f"streams.{i}.protocol"
        if protocols.get(field) == HTTP2:
            yield from _speaks(HTTP2, f"streams.{i}", stream)
            if stream.client is not None and not stream.client.is_patient:
                yield f"streams.{i}.client", say("all but round_trip_ms is for HTTP/1.1: leave the rest out")
            if offered is None:
                yield (
                    field,
                    say(
                        "is HTTP/2, which nginx does not offer: write http2 in nginx.listen_options, or http2 on; in "
                        "nginx.server (nginx 1.25.1 and later)"
                    ),
                )
        elif protocols.get(field) == HTTP3:
            yield from _speaks_http3(definition, i, protocols, fragments)
        elif offered == "nginx.listen_options" and not definition.nginx.tls and field in protocols:
            yield (
                field,
                say(
                    "is HTTP/1.1, but in clear a listener with http2 speaks HTTP/2 only (before nginx 1.25.1): turn "
                    "nginx.tls on, or write http2 on; in nginx.server instead"
                ),
            )
    # A stream that speaks HTTP/1.1 in this arm and may speak HTTP/2 in another is there to be compared.
    if offered is not None and all(stream.protocol == "http/1.1" for stream in definition.streams):
        yield (
            offered,
            say(
                "offers HTTP/2, but every stream speaks HTTP/1.1: give a stream protocol: http/2, with an engine that "
                "speaks it, or leave http2 out"
            ),
        )


def _speaks(version: str, field: str, stream: Stream) -> Messages:
    name = version.upper()
    if version not in ENGINES[stream.engine].speaks:
        able = listed([engine.key for engine in ENGINES.values() if version in engine.speaks], " or ")
        message = "engine {engine} does not speak {version}: use engine {able}"
        yield f"{field}.protocol", say(message, engine=stream.engine, version=name, able=able)
    if not stream.keep_alive:
        message = say("must be on: a connection of {version} is kept for many requests", version=name)
        yield f"{field}.keep_alive", message


def _speaks_http3(
    definition: Definition, number: int, spoken: Mapping[str, str], fragments: Mapping[str, Fragment]
) -> Messages:
    field, stream = f"streams.{number}", definition.streams[number]
    yield from _speaks(HTTP3, field, stream)
    options = fragments.get("listen_options")
    if options is None or "quic" not in options.text.split():
        yield f"{field}.protocol", say("is HTTP/3, which nginx does not offer: write quic in nginx.listen_options")
    elif not definition.nginx.tls:
        yield f"{field}.protocol", say("is HTTP/3, which has no form without TLS: turn nginx.tls on")
    if stream.client is not None:
        yield f"{field}.client", say("is not for HTTP/3: leave it out")
    if stream.tls_client is not None and _asks_more_than_quic_has(stream.tls_client):
        yield f"{field}.tls_client", say("has server_name, group and cipher only with HTTP/3: leave the rest out")
    if spoken.get(f"{field}.tls_client.group") == HYBRID_GROUP:
        yield f"{field}.tls_client.group", say("is not for HTTP/3: choose another")


def _asks_more_than_quic_has(client: TlsClient) -> bool:
    others = TlsClient.model_fields.keys() - _OF_QUIC
    return client.model_dump(include=others) != TlsClient().model_dump(include=others)


def offers_http2(fragments: Mapping[str, Fragment]) -> str | None:
    """The field by which the listener under test offers HTTP/2; None where it does not."""
    options = fragments.get("listen_options")
    if options is not None and "http2" in options.text.split():
        return "nginx.listen_options"
    for name in ("server", "http"):
        if (said := outermost(fragments.get(name), "http2")) is not None:
            return f"nginx.{name}" if said == "on" else None
    return None


def outermost(fragment: Fragment | None, name: str) -> str | None:
    """The argument of a directive at the outermost level."""
    if fragment is None or name not in fragment.text:
        return None
    try:
        directives = parse(with_servers(fragment.text), lua.recognise)
    except ConfigSyntaxError:
        return None  # which is a problem of its own
    return next((one.args[0] for one in reversed(directives) if one.name == name and one.args), None)
