"""The bytes of a stream's request: the same each time, so that they are made once."""

from ngxlab_contracts.streams import StreamSpec

from ngxlab_worker.engines.base import GeneratorError, Target
from ngxlab_worker.engines.wrk.command import HEADER_NAME, UNSAFE_IN_HEADER, UNSAFE_IN_PATH

FILLING = b"x"


def request_bytes(spec: StreamSpec, target: Target) -> bytes:
    """HTTP/1.1, with Host, and Content-Length where there is a body or where the method wants one (RFC 9110, 8.6).

    Raises ``GeneratorError`` for a path or header that would break the request's form.
    """
    if not spec.path.startswith("/") or UNSAFE_IN_PATH.search(spec.path):
        raise GeneratorError("stream-invalid", f"stream {spec.key}: {spec.path!r} is no path of a URL")
    body = spec.body.encode() if spec.body is not None else FILLING * (spec.body_bytes or 0)
    own = {"host": target.authority}
    if body or spec.method in {"POST", "PUT", "PATCH"}:
        own["content-length"] = str(len(body))
    if not spec.keep_alive:
        own["connection"] = "close"
    lines = [f"{spec.method} {spec.path} HTTP/1.1"]
    given = {name.lower() for name in spec.headers}
    lines += [f"{name.title()}: {value}" for name, value in own.items() if name not in given]
    for name, value in spec.headers.items():
        if not HEADER_NAME.fullmatch(name) or UNSAFE_IN_HEADER.search(value):
            raise GeneratorError("stream-invalid", f"stream {spec.key}: {name!r}: {value!r} is no HTTP header")
        lines.append(f"{name}: {value}")
    return "\r\n".join([*lines, "", ""]).encode() + body
