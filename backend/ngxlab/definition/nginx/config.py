"""Write the nginx.conf of an arm. Values that only the host knows are written as ``@@name@@``."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from jinja2 import UndefinedError
from ngxlab_contracts.telemetry import CacheStatus
from ngxlab_contracts.trials import PHASES_FORMAT, SERVED_FORMAT, TIMES_FORMAT, DynamicModule
from ngxlab_policy.arguments import PASSING
from ngxlab_policy.document import modules_of_directives
from ngxlab_policy.fragments import Fragment, with_servers
from ngxlab_policy.servers import place_of
from ngxlab_policy.syntax import ConfigSyntaxError, parse

from ngxlab.definition.fragments import ConfigTemplateError, render_fragment
from ngxlab.definition.nginx.dynamic_upstreams import upstream_caller, upstream_lines
from ngxlab.definition.problems import unknown
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition
from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.upstream_servers import Slow, UpstreamServer

__all__ = ["FRAGMENTS", "TLS", "ConfigTemplateError", "RenderedConfig", "locate", "render", "render_config"]

FRAGMENTS = ("main", "events", "http", "listen_options", "server")
"""The text fields of a definition's ``nginx``."""

_TOP = """\
<<modules>>
daemon off;
worker_processes <workers>;
pid @@pid_file@@;
<<error_log>>
<<main>>

events {
    worker_connections <worker_connections>;
    <<events>>
}

"""
_PATHS = """\
    <<access_log>>
    client_body_temp_path @@folder@@/temp/client_body;
    proxy_temp_path @@folder@@/temp/proxy;
    fastcgi_temp_path @@folder@@/temp/fastcgi;
    uwsgi_temp_path @@folder@@/temp/uwsgi;
    scgi_temp_path @@folder@@/temp/scgi;
    <<ignored_headers>>
"""
_FRAGMENT = """\
    <<upstreams>>
    <<http>>
    <<maps>>
"""
_STATUS = """\
    server {
        listen 127.0.0.1:@@status_port@@;
        access_log off;
        keepalive_requests 1000000000;
        location = /stub_status { stub_status; }
        <<upstreams_api>>
    }
"""
_SERVER = """\
    server {
        listen @@address@@:@@http_port@@<listen_options>;
        <<more_ports>>
        <<tls>>
        <<upstreams_names>>
        <<phases>>
        <<server>>
    }
}
"""
_HTTP = f"{_TOP}http {{\n{_PATHS}{_FRAGMENT}\n{_STATUS}\n{_SERVER}"
_TCP = f"{_TOP}http {{\n{_PATHS}\n{_STATUS}}}\n\nstream {{\n{_FRAGMENT}\n{_SERVER}"
TLS = ("ssl_certificate @@folder@@/tls.crt;", "ssl_certificate_key @@folder@@/tls.key;")


def _request_times(definition: Definition) -> tuple[str, ...]:
    """The log of request times that the agent reads: buffered, so that it costs next to nothing. A build may know
    nothing of compression or caches, where an experiment has none."""
    served = SERVED_FORMAT if _mentions(definition, "gzip") else SERVED_FORMAT.replace("$gzip_ratio", "-")
    served = served if _mentions(definition, _CACHES) else served.replace("$ngxlabcache", "0")
    return (
        f"log_format ngxlab '{TIMES_FORMAT} {served}';",
        "access_log @@folder@@/access.log ngxlab buffer=64k flush=1s;",
    )


def without_served(config: str) -> str:
    """A whole configuration for an agent that reads nothing but times."""
    before, found, after = config.partition(f"{TIMES_FORMAT} ")
    return before + TIMES_FORMAT + after[after.index("'") :] if found else config


_CACHES = "_cache"
_STATUSES = " ".join(f"{status.upper()} {place};" for place, status in enumerate(get_args(CacheStatus), 1))
_CACHE_STATUS = f"map $upstream_cache_status $ngxlabcache {{ {_STATUSES} default 0; }}"
"""How a cache answered, as a number."""

_TLS_LOG = (
    "log_format ngxlabtls $ssl_session_reused;",
    "access_log @@folder@@/tls.log ngxlabtls buffer=64k flush=1s if=$ngxlabfirst;",
)
"""A line for each connection, by which full and resumed handshakes are counted. All arms have it, or none."""
_FIRST = 'map $connection_requests $ngxlabfirst { 1 1; default ""; }'
"""Whether a request is its connection's first. Maps come behind the definition's own lines of http, of which some
(``map_hash_bucket_size``) are to come before the first of them."""

Phases = Literal["whole", "without-opening"]
"""What nginx logs of the parts of a request's time: all, or all but what needs nginx 1.19.10."""


def _phases_log(phases: Phases) -> tuple[str, ...]:
    form = PHASES_FORMAT if phases == "whole" else PHASES_FORMAT.replace("$connection_time", "-")
    return (
        f"log_format ngxlabphases '{form}';",
        "access_log @@folder@@/phases.log ngxlabphases buffer=64k flush=1s;",
    )


_READ = "map $request_time $ngxlabread { default $request_time; }"
"""When a request had been read. A map is evaluated once for a request, also where nginx redirects it within."""

Origin = tuple[str, int] | None
"""The field and the line (from 1) that a line of a configuration comes from; None for ngxlab's own lines."""


@dataclass(frozen=True)
class RenderedConfig:
    """``origins`` has an entry for each line of ``text``. ``fragments``: the arm's rendered fragments by field name."""

    text: str
    origins: tuple[Origin, ...]
    fragments: dict[str, Fragment]

    def origin(self, line: int) -> Origin:
        """Where a line (from 1) of the text comes from."""
        return self.origins[line - 1] if 0 < line <= len(self.origins) else None


def render(definition: Definition, arm: ArmDefinition, phases: Phases | None = None) -> str:
    """The whole nginx.conf of one arm, with run variables as ``@@name@@``. Raises DefinitionError."""
    return render_config(definition, arm, phases).text


def locate(definition: Definition, arm: ArmDefinition, rendered_line: int) -> Origin:
    """The field and line of the definition that a line of an arm's nginx.conf comes from."""
    return render_config(definition, arm).origin(rendered_line)


def render_config(definition: Definition, arm: ArmDefinition, phases: Phases | None = None) -> RenderedConfig:
    """An arm's nginx.conf with the origin of each line. ``phases``: what it logs of them. Raises DefinitionError."""
    resolved = resolve(definition, arm)
    fragments = render_fragments(definition, resolved.variables)
    lines = list(_assemble(definition, resolved, fragments, phases))
    return RenderedConfig("\n".join(text for text, _ in lines) + "\n", tuple(o for _, o in lines), fragments)


def render_fragments(definition: Definition, variables: dict[str, str | int | float | bool]) -> dict[str, Fragment]:
    """Every fragment of the definition's ``nginx``, rendered with an arm's variables. Raises ConfigTemplateError."""
    context = {**variables, **callables(definition)}
    return {name: render_fragment(f"nginx.{name}", getattr(definition.nginx, name), context) for name in FRAGMENTS}


def callables(definition: Definition) -> dict[str, object]:
    """The functions that fragments of the definition's ``nginx`` may call."""
    return {"servers": server_lines(definition), "upstream": upstream_caller(definition.nginx.upstreams)}


def server_lines(definition: Definition) -> Callable[[str], str]:
    """For fragments: ``{{ servers("KEY", weight=5) }}`` stands for the instances of a declared upstream server.

    Each has the options (:data:`ngxlab_policy.servers.OPTIONS`).
    """
    keys = [upstream.key for upstream in definition.upstream_servers]

    def servers(key: object, **options: object) -> str:
        if not isinstance(key, str) or key not in keys:
            raise UndefinedError(unknown("upstream server", key, keys))
        try:
            return place_of(key, options)
        except ValueError as error:
            raise UndefinedError(error.args[0]) from error

    return servers


def _assemble(
    definition: Definition, resolved: ResolvedArm, fragments: dict[str, Fragment], phases: Phases | None
) -> Iterator[tuple[str, Origin]]:
    words = fragments["listen_options"].text.split()
    options = " ".join([*(["ssl"] if definition.nginx.tls else []), *(word for word in words if word != "quic")])
    values = {
        "workers": str(resolved.workers),
        "worker_connections": str(resolved.worker_connections),
        "listen_options": f" {options}" if options else "",
    }
    upstreams = upstream_lines(resolved.nginx.upstreams)
    own = {
        "<<upstreams>>": upstreams.http,
        "<<upstreams_api>>": upstreams.status,
        "<<upstreams_names>>": upstreams.server,
        "<<modules>>": ("@@modules@@",) if nginx_modules(resolved.nginx) or _asks_for_modules(fragments) else (),
        "<<tls>>": TLS if definition.nginx.tls else (),
        # nginx says only at level info why a handshake failed.
        "<<error_log>>": (f"error_log @@error_log@@ {'info' if definition.nginx.tls else 'warn'};",),
        "<<ignored_headers>>": ignored_headers(fragments),
        "<<access_log>>": tuple(_access_logs(definition, fragments["http"], phases)),
        "<<maps>>": tuple(_maps(definition, phases)),
        "<<phases>>": ("set $ngxlabseen $ngxlabread;",) if phases is not None else (),
        "<<more_ports>>": [
            f"listen @@address@@:@@http_port.{port}@@{values['listen_options']};"
            for port in range(2, int(resolved.nginx.ports) + 1)
        ]
        + _quic(words, int(resolved.nginx.ports)),
    }
    for line in (_TCP if definition.nginx.tcp else _HTTP).splitlines():
        spaces, slot = len(line) - len(line.lstrip()), line.strip()
        if slot in own:
            yield from ((" " * spaces + text if text else "", None) for text in own[slot])
        elif slot.startswith("<<"):
            fragment = fragments[slot.strip("<>")]
            yield from ((text, (fragment.field, origin)) for text, origin in fragment.indented(spaces))
        else:
            yield _filled(line, values)


def ignored_headers(fragments: Mapping[str, Fragment]) -> list[str]:
    """An upstream server's X-Accel-Redirect may hold dots that nginx overlooks. Builds may lack what nobody uses."""
    written = " ".join(fragment.text for fragment in fragments.values())
    used = [name for name in PASSING if name == "proxy" or f"{name}_pass" in written]
    return [f"{name}_ignore_headers X-Accel-Redirect;" for name in used]


def _access_logs(definition: Definition, http: Fragment, phases: Phases | None) -> Iterator[str]:
    """``off`` would silence all others of its level, also those of the definition's own."""
    if definition.nginx.tcp:
        return  # the only server of http is that of the status page
    if definition.nginx.request_times:
        yield from _request_times(definition)
    if counted := _counts_handshakes(definition):
        yield from _TLS_LOG
    if phases is not None:
        yield from _phases_log(phases)
    elif not counted and not definition.nginx.request_times and not _logs(http):
        yield "access_log off;"


def _maps(definition: Definition, phases: Phases | None) -> Iterator[str]:
    """What the logs of :func:`_access_logs` read."""
    if definition.nginx.request_times and not definition.nginx.tcp and _mentions(definition, _CACHES):
        yield _CACHE_STATUS
    if _counts_handshakes(definition):
        yield _FIRST
    if phases is not None and not definition.nginx.tcp:
        yield _READ


def _counts_handshakes(definition: Definition) -> bool:
    return not definition.nginx.tcp and definition.nginx.tls and _opens_anew(definition)


def _mentions(definition: Definition, word: str) -> bool:
    return word in definition.model_dump_json()


def _logs(http: Fragment) -> bool:
    try:
        return any(one.name == "access_log" for one in parse(with_servers(http.text)))
    except ConfigSyntaxError:
        return False


def _opens_anew(definition: Definition) -> bool:
    """Whether connections may be opened again and again, so that it matters what a handshake costs. For others the log
    would be a condition to evaluate for each request (3 % of the CPU time of an empty answer), and tell nothing."""
    texts = (definition.nginx.http, definition.nginx.server)
    asks = any(word in text for text in texts for word in ("keepalive_", "ssl_session_"))
    varied = "{{" in definition.nginx.certificate_key or isinstance(definition.nginx.certificate_chain, str)
    return asks or varied or not all(stream.keep_alive for stream in definition.streams)


def _quic(words: list[str], ports: int) -> list[str]:
    """Listeners of their own: a socket takes QUIC or TCP, and streams of one trial may speak either. With reuseport all
    datagrams of a connection come to the same worker. Sizes of buffers are for both."""
    names = ["http_port", *(f"http_port.{port}" for port in range(2, ports + 1))] if "quic" in words else []
    buffers = "".join(f" {word}" for word in words if word.startswith(("rcvbuf=", "sndbuf=")))
    return [f"listen @@address@@:@@{name}@@ quic reuseport{buffers};" for name in names]


def _filled(line: str, values: dict[str, str]) -> tuple[str, Origin]:
    for name, value in values.items():
        if f"<{name}>" in line:
            return line.replace(f"<{name}>", value), (f"nginx.{name}", 1)
    return line, None


def _asks_for_modules(fragments: Mapping[str, Fragment]) -> bool:
    return any(modules_of_directives(fragment.text) for fragment in fragments.values())


def nginx_modules(nginx: NginxTemplate) -> list[DynamicModule]:
    """Modules of the nginx under test."""
    if nginx.tcp:
        return ["stream_module"]
    return ["http_lua_module"] if nginx.upstreams is not None and nginx.upstreams.through == "lua" else []


def upstream_server_modules(upstream: UpstreamServer) -> list[DynamicModule]:
    """Modules of an upstream server's own nginx."""
    return ["http_lua_module"] if upstream.is_nginx and isinstance(upstream.behaviour, Slow) else []
