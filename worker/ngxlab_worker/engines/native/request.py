"""The bytes of a stream's request, which are the same each time."""

from ngxlab_contracts.streams import StreamSpec

from ngxlab_worker.engines.base import Target
from ngxlab_worker.engines.http_syntax import require_http_syntax

FILLING = b"x"


def request_bytes(spec: StreamSpec, target: Target) -> bytes:
    """An HTTP/1.1 request with Host, and with Content-Length where a body is present or expected (RFC 9110, 8.6).

    Raises ``GeneratorError`` for a path or header that HTTP does not allow.
    """
    require_http_syntax(spec)
    body = spec.body.encode() if spec.body is not None else FILLING * (spec.body_bytes or 0)
    own = {"host": target.authority}
    if body or spec.method in {"POST", "PUT", "PATCH"}:
        own["content-length"] = str(len(body))
    if not spec.keep_alive:
        own["connection"] = "close"
    lines = [f"{spec.method} {spec.path} HTTP/1.1"]
    given = {name.lower() for name in spec.headers}
    lines += [f"{name.title()}: {value}" for name, value in own.items() if name not in given]
    lines += [f"{name}: {value}" for name, value in spec.headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def served_option(spec: StreamSpec) -> list[str]:
    """Tells a program which statuses serve a request."""
    return ["--served", ",".join(map(str, spec.served_statuses))]
