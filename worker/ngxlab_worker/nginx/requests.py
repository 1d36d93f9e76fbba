"""One real request of a stream, and what nginx answers to it. Redirects are not followed."""

import http.client
import ssl
import time
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection, HTTPException

from ngxlab_contracts.answers import FirstAnswer
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import Answer
from ngxlab_contracts.trials import Endpoint

from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.core.deadline_http import CHUNK_BYTES, connected, left
from ngxlab_worker.core.programs import printable
from ngxlab_worker.engines import Target

PATIENCE_S = 1.0
MOST_ASKED = 4
_MOST_HEADERS = 60
_LONGEST_NAME, _LONGEST_VALUE = 100, 1000


def answers(streams: Sequence[StreamSpec], target: Target, clock: HostClock) -> Iterator[Answer]:
    """The answers of the first few streams whose request is known and has no body; none where it comes too late."""
    known = [one.typical for one in streams]
    known = [one for one in known if one.script is None and one.body is None and one.body_bytes is None]
    known = [one for one in known if one.tls or one.protocol == "http/1.1"]  # such a listener may speak HTTP/2 only
    for stream in known[:MOST_ASKED]:
        deadline = time.monotonic() + PATIENCE_S
        try:
            with connected((target.address, target.port), deadline, tls=stream.tls) as connection:
                status, headers = _ask(connection, stream)
            left(deadline)
        except (OSError, HTTPException, ValueError):
            continue
        yield Answer(t_us=clock.now_us(), stream=stream.key, status=status, headers=headers)


def _ask(connection: HTTPConnection, stream: StreamSpec) -> tuple[int, dict[str, str]]:
    response = sent(stream, paths_of(stream)[0], connection)
    headers: dict[str, str] = {}
    for name, value in response.getheaders()[:_MOST_HEADERS]:
        key = name.lower()[:_LONGEST_NAME]
        headers[key] = ", ".join(filter(None, (headers.get(key), value)))[:_LONGEST_VALUE]
    return response.status, headers


MOST_BYTES = 16 << 20
"""The most of a body; a longer one is not read to its end."""
_FILL = b"x"
"""What a body of ``body_bytes`` consists of, as that of the load engines."""


def paths_of(stream: StreamSpec) -> list[str]:
    """The first and the last path that the stream asks for."""
    if stream.paths is None:
        return [stream.path]
    return [stream.paths.pattern.replace("{n}", str(n)) for n in dict.fromkeys((0, stream.paths.count - 1))]


def ask(stream: StreamSpec, endpoint: Endpoint, within_s: float) -> Iterator[FirstAnswer]:
    """Send the stream's requests to the endpoint's first port, each over a connection of its own.

    No exchange takes longer than ``within_s``. A stream whose script makes its requests has none that are known.
    """
    if stream.script is not None:
        reason = "its Lua script makes the requests, so only a run shows what is answered"
        yield FirstAnswer(stream=stream.key, method=stream.method, path=stream.path, failure=reason)
        return
    if stream.protocol == "http/2" and not stream.tls:
        reason = "it speaks HTTP/2 in clear, so only a run shows what is answered"
        yield FirstAnswer(stream=stream.key, method=stream.method, path=stream.path, failure=reason)
        return
    for one in stream.singly(MOST_ASKED):
        for path in paths_of(one):
            answer = FirstAnswer(stream=one.key, method=one.method, path=path)
            yield answer.model_copy(update=_exchange(one, path, endpoint, within_s))


def _exchange(stream: StreamSpec, path: str, endpoint: Endpoint, within_s: float) -> dict[str, object]:
    deadline = time.monotonic() + within_s
    try:
        with connected((endpoint.address, endpoint.ports[0]), deadline, tls=stream.tls) as connection:
            return _answered(stream, path, connection, deadline)
    except (http.client.HTTPException, OSError, ValueError) as error:
        if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
            return {"failure": f"no complete answer within {within_s:g} s"}
        if isinstance(error, ssl.SSLError):
            return {"failure": f"TLS handshake failed: {printable(error.reason or str(error))[:300]}"}
        return {"failure": printable(str(error) or type(error).__name__)[:300]}


def _answered(
    stream: StreamSpec, path: str, connection: http.client.HTTPConnection, deadline: float
) -> dict[str, object]:
    with sent(stream, path, connection) as answer:
        size = 0
        while size < MOST_BYTES and (chunk := answer.read1(CHUNK_BYTES)):
            size += len(chunk)
        left(deadline)  # a connection that was shut in time looks like a body's end
        if size >= MOST_BYTES:
            declared = answer.getheader("Content-Length", "")
            size = int(declared) if declared.isdecimal() else size
        kind, encoding = answer.getheader("Content-Type"), answer.getheader("Content-Encoding")
        return {
            "status": answer.status,
            "content_type": printable(kind)[:200] if kind is not None else None,
            "content_encoding": printable(encoding)[:100] if encoding is not None else None,
            "body_bytes": size,
        }


def sent(stream: StreamSpec, path: str, connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
    """The answer to the request that the stream would send for the path."""
    headers = dict(stream.asked_headers) if stream.keep_alive else {**stream.headers, "Connection": "close"}
    own_host = any(name.lower() == "host" for name in headers)
    connection.putrequest(stream.method, path, skip_host=own_host, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    body = stream.body.encode() if stream.body is not None else _FILL * (stream.body_bytes or 0)
    if body:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body or None)
    return connection.getresponse()
