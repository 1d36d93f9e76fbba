"""What a stream's path and headers may hold, so that they cannot change the form of a request."""

import re

from ngxlab_contracts.streams import StreamSpec

from ngxlab_worker.engines.base import stream_invalid

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_UNSAFE_IN_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_UNSAFE_IN_PATH = re.compile(r"[\x00-\x20\x7f]")


def require_http_syntax(spec: StreamSpec) -> None:
    """Raises ``GeneratorError`` for a path or header that HTTP/1.1 does not allow (RFC 9110, 5.1 and 5.5)."""
    if not spec.path.startswith("/") or _UNSAFE_IN_PATH.search(spec.path):
        raise stream_invalid(spec, f"{spec.path!r} is not the path of a URL")
    for name, value in spec.headers.items():
        if not _HEADER_NAME.fullmatch(name) or _UNSAFE_IN_HEADER.search(value):
            raise stream_invalid(spec, f"{name!r}: {value!r} is not an HTTP header")
