"""Could what nginx is configured for take effect? Limits, HTTP/2 and compression that the load never meets."""

import re
from collections.abc import Iterator

from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_contracts.streams import StreamSpec
from ngxlab_policy.fragments import every
from ngxlab_policy.syntax import Directive

from ngxlab.analysis.checks.check import Finding, TrialContext, TrialRule, passed, trial_check, unavailable
from ngxlab.analysis.checks.places import Place, in_effect, listens, places_of
from ngxlab.analysis.summary.rejected import answered

_ZONES = {"limit_req": "limit_req_zone", "limit_conn": "limit_conn_zone"}
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_DEEPEST = 5
"""Maps of maps of maps: deeper ones are left alone."""


def empty_keys(place: Place, stream: StreamSpec) -> Iterator[tuple[str, str]]:
    """The limits that hold there although their key is empty: the directive and the key, as they are written."""
    for limit, definition in _ZONES.items():
        zones = {zone: one.args[0] for one in place[0].block or () if one.name == definition for zone in _zone(one)}
        for directive in in_effect(place, limit):
            named = _zone(directive) or directive.args[:1]
            key = zones.get(named[0]) if named else None
            if key is not None and value_of(key, place, stream) == "":
                yield limit, key


def _zone(directive: Directive) -> list[str]:
    """The name in ``zone=NAME`` or ``zone=NAME:SIZE``."""
    return [arg.removeprefix("zone=").partition(":")[0] for arg in directive.args if arg.startswith("zone=")]


def value_of(text: str, place: Place, stream: StreamSpec, depth: int = 0) -> str | None:
    """What nginx makes of ``text`` for every request of the stream; ``None`` where that is not known."""
    parts = []
    for index, part in enumerate(_VARIABLE.split(text)):
        value = _variable(part, place, stream, depth) if index % 2 else part
        if value is None:
            return None
        parts.append(value)
    return "".join(parts)


def _variable(name: str, place: Place, stream: StreamSpec, depth: int) -> str | None:
    if any(one.name in {"set", "auth_request_set"} and one.args[:1] == (f"${name}",) for one in every(place[:1])):
        return None
    headers = {key.lower().replace("-", "_"): value for key, value in stream.typical.headers.items()}
    if name == "server_name":
        names = [one.args[0] for one in place[1].block or () if one.name == "server_name" and one.args]
        return names[0] if names else ""
    if name.startswith("http_") and name not in {"http_host", "http_connection", "http_user_agent"}:
        return headers.get(name.removeprefix("http_"), "")
    if name == "remote_user" and "authorization" not in headers:
        return ""
    if name.startswith("cookie_") and "cookie" not in headers:
        return ""
    if name.startswith("arg_") or name in {"args", "query_string"}:
        path = stream.asked_path
        return None if "?" in path else ""
    return _mapped(f"${name}", place, stream, depth)


def _mapped(variable: str, place: Place, stream: StreamSpec, depth: int) -> str | None:
    """By the one map that defines it; exact values and the default, since expressions are PCRE's."""
    maps = [one for one in place[0].block or () if one.name == "map" and one.args[1:] == (variable,)]
    if len(maps) != 1 or depth >= _DEEPEST:
        return None
    source = value_of(maps[0].args[0], place, stream, depth + 1)
    pairs = {pair.name.lower(): pair.args[0] for pair in maps[0].block or () if len(pair.args) == 1}
    if source is None or any(name.startswith("~") for name in pairs) or "include" in pairs or "hostnames" in pairs:
        return None
    chosen = pairs.get(source.lower(), pairs.get("default", ""))
    return value_of(chosen, place, stream, depth + 1)


_LIMITS = ("limit_req", "limit_conn")
_LEAST_SAVED = 0.05
_MIN_LENGTH = "20"
"""``gzip_min_length`` by default."""
SERVED_WHOLE = 200
_USE_CONTENT = "answer from the content phase instead of by return: from a file, by proxy_pass, or by empty_gif"
_OTHER_KEY = "use a key that each request has, such as $binary_remote_addr, or $server_addr for one limit of all"
_SPEAK_ALIKE = "remove what offers it from nginx.conf, or give a stream that protocol, with an engine that speaks it"
_ASK = "give the stream the header Accept-Encoding: gzip"
_OTHER_CONTENT = (
    "serve what compresses, such as files with content: text, json or html (random bytes do not), and name its type in "
    "gzip_types"
)


def of_window(rule: TrialRule) -> TrialRule:
    """Nothing is said of a trial that measured nothing."""

    def judge(context: TrialContext) -> Finding:
        return rule(context) if context.host.window is not None else unavailable("the trial has no measured window")

    return judge


def _limits(context: TrialContext) -> Finding:
    config, limited = context.host.nginx.config, 0
    for stream in context.all_streams:
        place = places_of(config, stream)
        names = [name for name in _LIMITS if place is not None and in_effect(place, name)]
        if place is None or not names:
            continue
        limited += 1
        if answer := _return_before_limits(place):
            seen = say(
                (
                    "{names} limit nothing of stream {stream}: the {answer} answers by return, which nginx "
                    "carries out before it applies limits"
                )
                if len(names) > 1
                else (
                    "{names} limits nothing of stream {stream}: the {answer} answers by return, which nginx "
                    "carries out before it applies limits"
                ),
                names=listed(names, " and "),
                stream=stream.key,
                answer=answer,
            )
            return Finding("warning", seen, _USE_CONTENT)
        for name, key in empty_keys(place, stream):
            seen = say(
                "{limit} limits nothing of stream {stream}: the key {key} of its zone is empty for every request, and "
                "nginx does not count requests with an empty key",
                limit=name,
                stream=stream.key,
                key=key,
            )
            return Finding("warning", seen, _OTHER_KEY)
    return passed(
        say("limits apply to {limited} streams" if limited else "no limit is set where the load goes", limited=limited)
    )


def _return_before_limits(place: Place) -> str | None:
    """The block that answers every request in a rewrite phase: that of the server, or of the innermost location."""
    for block in (place[1], place[-1]):
        if any(one.name == "return" for one in block.block or ()):
            return " ".join([block.name, *block.args])
    return None


def _version(context: TrialContext) -> Finding:
    spoken = {stream.protocol.upper() for stream in context.all_streams}
    varies = any(stream.protocol_varies for stream in context.all_streams)
    for stream in context.all_streams:
        place = places_of(context.host.nginx.config, stream)
        asked = _newest_offered(place) if place is not None else None
        if asked is None or asked in spoken or varies:
            continue
        seen = say(
            "nginx offers {asked}, but engine {engine} of stream {stream} speaks {spoken}: {spoken} was measured",
            asked=asked,
            engine=stream.engine,
            stream=stream.key,
            spoken=stream.protocol.upper(),
        )
        return Finding("error", seen, _SPEAK_ALIKE)
    return passed(
        say(
            "nginx is asked in the version of HTTP that it is configured for: {spoken}",
            spoken=", ".join(sorted(spoken)),
        )
    )


def _newest_offered(place: Place) -> str | None:
    options = {option for listen in listens(place) for option in listen.args}
    if "quic" in options:
        return "HTTP/3"
    is_on = any(one.args == ("on",) for one in in_effect(place, "http2"))
    return "HTTP/2" if is_on or "http2" in options else None


def _compression(context: TrialContext) -> Finding:
    compressed = 0
    for stream in context.all_streams:
        place = places_of(context.host.nginx.config, stream)
        if place is None or not any(one.args == ("on",) for one in in_effect(place, "gzip")):
            continue
        compressed += 1
        if not _asks_for_gzip(stream):
            seen = say(
                "gzip is on, but stream {stream} does not ask for it, so nothing was compressed", stream=stream.key
            )
            return Finding("warning", seen, _ASK)
        if (reason := _uncompressed(context, stream, place)) is not None:
            seen = say("gzip compresses nothing of stream {stream}: {reason}", stream=stream.key, reason=reason)
            return Finding("warning", seen, _OTHER_CONTENT)
        read, size = _bytes_per_file(context, stream), _bytes_per_response(context, stream)
        if read is not None and size is not None and size > (1 - _LEAST_SAVED) * read:
            sizes = say("{size:,.0f} bytes a response, from files of {read:,.0f} bytes", size=size, read=read)
            return Finding(
                "warning",
                say("gzip saved nothing on stream {stream}: {sizes}", stream=stream.key, sizes=sizes),
                _OTHER_CONTENT,
            )
    return passed(
        say(
            "gzip acts on {compressed} streams" if compressed else "gzip is off where the load goes",
            compressed=compressed,
        )
    )


def _uncompressed(context: TrialContext, stream: StreamSpec, place: Place) -> Sentence | None:
    """Why nginx's answer to one more request of the stream is not compressed; ``None`` where it is, or is not known."""
    answers = (host.answer(stream.key) for host in context.record.loading)
    answer = next((one for one in answers if one is not None and one.status == SERVED_WHOLE), None)
    if answer is None or "content-encoding" in answer.headers:
        return None
    kind = answer.headers.get("content-type", "").partition(";")[0].strip()
    types = {"text/html", *(one for line in in_effect(place, "gzip_types") for one in line.args)}
    if kind and kind not in types and "*" not in types:
        return say("gzip_types does not have the content type of its responses, {type}", type=kind)
    length = answer.headers.get("content-length", "")
    least = next((line.args[0] for line in in_effect(place, "gzip_min_length") if line.args), _MIN_LENGTH)
    if length.isdigit() and int(length) < _bytes(least):
        return say(
            "its responses have {length:,} bytes, and gzip_min_length is {least}", length=int(length), least=least
        )
    if any(name.lower() == "via" for name in stream.headers) and not in_effect(place, "gzip_proxied"):
        return say("it sends Via, as proxies do, and gzip_proxied is off")
    return say("the configuration does not tell why")


def _bytes(size: str) -> int:
    """As nginx writes sizes: ``20``, ``1k``, ``1m``."""
    unit = {"k": 1 << 10, "m": 1 << 20}.get(size[-1:].lower())
    digits = size[:-1] if unit else size
    return int(digits) * (unit or 1) if digits.isdigit() else 0


def _asks_for_gzip(stream: StreamSpec) -> bool:
    headers = stream.typical.headers
    return any(name.lower() == "accept-encoding" and "gzip" in value for name, value in headers.items())


def _bytes_per_file(context: TrialContext, stream: StreamSpec) -> float | None:
    """The size of the file that the stream reads, or the mean of those that it draws from; by the set's folder."""
    stream = stream.typical
    path = stream.asked_path
    files = next((one for one in context.host.nginx.files if f"/{one.folder}/" in path), None)
    if files is None:
        return None
    sizes, number = files.each_bytes, path.rpartition("/")[2]
    if number.isdecimal():
        return sizes[int(number)] if int(number) < len(sizes) else None
    drawn = sizes[: stream.paths.count] if stream.paths is not None else sizes
    return sum(drawn) / len(drawn)


def _bytes_per_response(context: TrialContext, stream: StreamSpec) -> float | None:
    """With headers, over the stream's whole life."""
    said = next((one.printed or one.totals for one in context.summary.streams if one.stream == stream.key), None)
    return said.bytes_read / answered(said) if said is not None and answered(said) else None


LIMITS_BYPASSED = trial_check("limits-bypassed", of_window(_limits), _USE_CONTENT, _OTHER_KEY)
HTTP_VERSION = trial_check("http-version", of_window(_version), _SPEAK_ALIKE)
COMPRESSION = trial_check(
    "compression", of_window(_compression), _ASK, _OTHER_CONTENT, least_saved_percent=100 * (1 - _LEAST_SAVED)
)
