"""Asks nginx once as each stream does, when the load has ended: what the answers say of themselves explains why
something that the configuration asks for did not happen."""

import time
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection, HTTPException

from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import Answer

from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.core.deadline_http import connected, left
from ngxlab_worker.engines import Target

PATIENCE_S = 1.0
MOST_ASKED = 4
_MOST_HEADERS = 60
_LONGEST_NAME, _LONGEST_VALUE = 100, 1000


def answers(streams: Sequence[StreamSpec], target: Target, clock: HostClock) -> Iterator[Answer]:
    """Of the first few streams whose request is known and has no body; none for one that is not answered in time."""
    known = [one for one in streams if one.script is None and one.body is None and one.body_bytes is None]
    known = [one for one in known if one.tls or one.protocol == "http/1.1"]  # such a listener may speak HTTP/2 only
    for stream in known[:MOST_ASKED]:
        deadline = time.monotonic() + PATIENCE_S
        try:
            with connected((target.address, target.port), deadline, tls=stream.tls) as connection:
                status, headers = _ask(connection, stream, target)
            left(deadline)
        except (OSError, HTTPException, ValueError):
            continue
        yield Answer(t_us=clock.now_us(), stream=stream.key, status=status, headers=headers)


def _ask(connection: HTTPConnection, stream: StreamSpec, target: Target) -> tuple[int, dict[str, str]]:
    path = stream.paths.pattern.replace("{n}", "0") if stream.paths is not None else stream.path
    connection.putrequest(stream.method, path, skip_host=True, skip_accept_encoding=True)
    if not any(name.lower() == "host" for name in stream.headers):
        connection.putheader("Host", target.authority)
    for name, value in stream.headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    headers: dict[str, str] = {}
    for name, value in response.getheaders()[:_MOST_HEADERS]:
        key = name.lower()[:_LONGEST_NAME]
        headers[key] = ", ".join(filter(None, (headers.get(key), value)))[:_LONGEST_VALUE]
    return response.status, headers
