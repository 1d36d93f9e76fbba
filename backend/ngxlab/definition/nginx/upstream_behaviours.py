"""What ready-made upstream servers do, as nginx configuration. Only numbers of a definition are inserted into it."""

from collections.abc import Sequence

from ngxlab.definition.schema.upstream_servers import Sink, Slow

_PIECE = 1024
"""nginx accepts words of at most 4096 characters; a longer response is assembled from pieces."""

_READ_BODY = (
    # `return` and `try_files` would answer before the body has arrived. A mirrored request is read completely first
    # (the mirror goes nowhere); then the file does not exist, and files do not accept POST anyway.
    "client_body_buffer_size 64m;",
    "location / {",
    "    mirror /ngxlab-drain;",
    "    root @@folder@@/nothing;",
    "    log_not_found off;",
    "    error_page 403 404 405 =200 @answer;",
    "}",
    "location = /ngxlab-drain {",
    "    internal;",
    "    return 204;",
    "}",
)

_DELAYS = {
    "constant": "{delay}",
    "uniform": "math.max(0, {delay} + (2 * math.random() - 1) * {spread})",
    "exponential": "-{delay} * math.log(1 - math.random())",
}
"""Lua expressions that give seconds."""


def behaviour_http(behaviour: Sink | Slow) -> Sequence[str]:
    """Lines for ``http``."""
    if isinstance(behaviour, Sink):
        return ()
    return (f'init_by_lua_block {{ ngxlab_answer = string.rep("x", {int(behaviour.response_bytes)}) }}',)


def behaviour_server(behaviour: Sink | Slow) -> Sequence[str]:
    """Lines for the server that answers on all ports of the upstream server."""
    return _sink(behaviour) if isinstance(behaviour, Sink) else _slow(behaviour)


def _sink(sink: Sink) -> Sequence[str]:
    pieces, rest = divmod(int(sink.response_bytes), _PIECE)
    return (
        "client_max_body_size 0;",
        *_READ_BODY,
        "location @answer {",
        f'    set $p "{"x" * _PIECE}";',
        f'    return 200 "{"x" * rest}{"$p" * pieces}";',
        "}",
    )


def _slow(slow: Slow) -> Sequence[str]:
    numbers = {"delay": f"{float(slow.delay_ms) / 1000:.6f}", "spread": f"{float(slow.spread_ms) / 1000:.6f}"}
    return (
        "client_max_body_size 0;",
        "location / {",
        "    content_by_lua_block {",
        "        ngx.req.discard_body()",
        f"        ngx.sleep({_DELAYS[slow.distribution].format(**numbers)})",
        "        ngx.header.content_length = #ngxlab_answer",
        "        ngx.print(ngxlab_answer)",
        "    }",
        "}",
    )
