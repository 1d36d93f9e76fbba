"""What ready-made upstream servers do, as nginx configuration. Only numbers of a definition are inserted into it."""

from collections.abc import Sequence

from ngxlab_policy import lua

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


def behaviour_http(behaviour: Sink | Slow) -> Sequence[str]:
    """Lines for ``http``."""
    if isinstance(behaviour, Sink):
        return ()
    return (f"init_by_lua_block {{ {lua.code('answer', str(int(behaviour.response_bytes)))[0]} }}",)


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
    delay, spread = f"{float(slow.delay_ms) / 1000:.6f}", f"{float(slow.spread_ms) / 1000:.6f}"
    code = lua.code(f"slow-{slow.distribution}", delay, spread)
    return (
        "client_max_body_size 0;",
        "location / {",
        "    content_by_lua_block {",
        *(f"        {line}" for line in code),
        "    }",
        "}",
    )
