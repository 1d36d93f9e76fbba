"""The directives that ngxlab itself writes around what people write: exactly these, and each in its place."""

import re
from collections.abc import Sequence

from ngxlab_policy.syntax import Directive

Context = tuple[str, ...]

_UPSTREAM_LUA = r"content_by_lua_block upstreams-(list|detail|change)"
_BODY_SIZES = r"client_max_body_size \w+;client_body_buffer_size \w+;(client_body_in_file_only clean;)?"
STATUS_LISTEN = "127.0.0.1:@@status_port@@"
_PLACES: dict[Context, str] = {
    (): r"daemon off|worker_processes [0-9]{1,3}|pid @@pid_file@@|error_log @@error_log@@ (warn|info)",
    ("events",): r"worker_connections [0-9]{1,8}",
    ("http",): (
        r"(client_body|proxy|fastcgi|uwsgi|scgi)_temp_path @@folder@@/temp/\1|include @@folder@@/upstreams\.conf"
        r"|lua_shared_dict ngxlab_upstreams 32m|init_by_lua_block (upstreams|answer)"
        r"|init_worker_by_lua_block upstreams-start"
        r"|access_log @@folder@@/tls\.log ngxlabtls buffer=64k flush=1s if=\$ngxlabfirst"
        r"|access_log @@folder@@/phases\.log ngxlabphases buffer=64k flush=1s"
        r"|dyups_read_msg_timeout [0-9]+ms|dyups_trylock (on|off)|dyups_shm_zone_size 64m"
    ),
    ("http", "upstream"): r"server 0\.0\.0\.1|balancer_by_lua_block upstreams-balance",
    ("http", "server"): r"ssl_certificate @@folder@@/tls\.crt|ssl_certificate_key @@folder@@/tls\.key",
    ("stream", "server"): r"ssl_certificate @@folder@@/tls\.crt|ssl_certificate_key @@folder@@/tls\.key",
    ("http", "location"): r"mirror /ngxlab-drain|root @@folder@@/nothing|content_by_lua_block slow-[a-z]+",
}
"""What passes in each context, as words joined by blanks."""

_STATUS = (
    rf"listen {re.escape(STATUS_LISTEN)}",
    r"access_log off",
    r"keepalive_requests [0-9]+",
    r"location = /stub_status \{stub_status\}",
    rf"location = /(list|detail) \{{{_UPSTREAM_LUA}\}}",
    rf"location (/|/upstream/) \{{{_BODY_SIZES}({_UPSTREAM_LUA}|dyups_interface)\}}",
)
"""All that the server of the status page may have: whoever reaches it may change upstream groups."""


def is_own(context: Context, name: str, args: Sequence[str]) -> bool:
    """Whether it is one of ngxlab's own directives, in the context that crossplane calls so."""
    place = _PLACES.get(context[:2])
    return place is not None and re.fullmatch(place, " ".join((name, *args)), re.ASCII) is not None


def is_status_server(server: Directive) -> bool:
    """Whether it is the server of the status page, and nothing else."""
    return all(any(re.fullmatch(shape, _text(one), re.ASCII) for shape in _STATUS) for one in server.block or ())


def listens(server: Directive) -> list[tuple[str, ...]]:
    return [one.args for one in server.block or () if one.name == "listen"]


def _text(directive: Directive) -> str:
    words = " ".join((directive.name, *directive.args))
    return words if directive.block is None else f"{words} {{{';'.join(map(_text, directive.block))}}}"
