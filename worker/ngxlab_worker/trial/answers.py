"""Asks nginx once as each stream does, when the load has ended: what the answers say of themselves explains why
something that the configuration asks for did not happen."""

import ssl
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import Answer

from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.engines import Target

PATIENCE_S = 1.0
MOST_ASKED = 4
_MOST_HEADERS = 60
_LONGEST_NAME, _LONGEST_VALUE = 100, 1000


def answers(streams: Sequence[StreamSpec], target: Target, clock: HostClock) -> Iterator[Answer]:
    """Of the first few streams whose request is known and has no body; none for one that is not answered in time."""
    known = [one for one in streams if one.script is None and one.body is None and one.body_bytes is None]
    for stream in known[:MOST_ASKED]:
        connection = _connection(stream, target)
        try:
            status, headers = _ask(connection, stream, target)
            yield Answer(t_us=clock.now_us(), stream=stream.key, status=status, headers=headers)
        except (OSError, HTTPException, ValueError):
            continue
        finally:
            connection.close()


def _connection(stream: StreamSpec, target: Target) -> HTTPConnection:
    if not stream.tls:
        return HTTPConnection(target.address, target.port, timeout=PATIENCE_S)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # without the system's certificates, which take long to read
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # as the engines: the trial made its own
    return HTTPSConnection(target.address, target.port, timeout=PATIENCE_S, context=context)


def _ask(connection: HTTPConnection, stream: StreamSpec, target: Target) -> tuple[int, dict[str, str]]:
    path = stream.paths.pattern.replace("{n}", "0") if stream.paths is not None else stream.path
    connection.putrequest(stream.method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in {"Host": target.authority, **stream.headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    headers: dict[str, str] = {}
    for name, value in response.getheaders()[:_MOST_HEADERS]:
        key = name.lower()[:_LONGEST_NAME]
        headers[key] = ", ".join(filter(None, (headers.get(key), value)))[:_LONGEST_VALUE]
    return response.status, headers
