"""Write the nginx.conf of an upstream server. Values that only the host knows are written as ``@@name@@``."""

from collections.abc import Sequence
from itertools import cycle, islice
from random import Random

from ngxlab_contracts.trials import Responder, UpstreamServerSpec
from ngxlab_policy import lua

from ngxlab.definition.fragments import render_fragment
from ngxlab.definition.nginx.config import TLS, upstream_server_modules
from ngxlab.definition.resolve import resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import ArmDefinition
from ngxlab.definition.schema.upstream_servers import Echo, Sink, Slow, UpstreamServer

LOOPBACK = "127.0.0.1"
_PIECE = 1024
"""nginx accepts words of at most 4096 characters; a longer response is assembled from pieces."""

_GRPC = ("default_type application/grpc;", "add_trailer grpc-status 0 always;")
"""By which a client of gRPC knows that the call succeeded."""

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


def upstream_server_spec(
    definition: Definition,
    upstream: UpstreamServer,
    arm: ArmDefinition,
    *,
    binary: str,
    address: str = LOOPBACK,
    cpus: str | None = None,
) -> UpstreamServerSpec:
    """What the host that plays it has to run in one arm. Raises DefinitionError."""
    responder = _responder(definition, upstream, arm)
    return UpstreamServerSpec(
        key=upstream.key,
        binary=binary,
        config=render_upstream_server(definition, upstream, arm) if responder is None else "",
        instances=upstream.instances,
        address=address,
        cpus=cpus,
        modules=upstream_server_modules(upstream),
        tls=upstream.tls,
        protocol=upstream.protocol,
        responder=responder,
    )


def _responder(definition: Definition, upstream: UpstreamServer, arm: ArmDefinition) -> Responder | None:
    """What nginx does not speak, a program of ngxlab's own does. None for an nginx."""
    behaviour = _resolved(definition, upstream, arm).behaviour
    if upstream.is_nginx or behaviour is None:
        return None
    if isinstance(behaviour, Echo):
        told = {"processes": upstream.workers, "delay_ms": float(behaviour.delay_ms), "echoes": True}
        return Responder.model_validate(told)
    delay = (
        {}
        if isinstance(behaviour, Sink)
        else {
            "delay_ms": float(behaviour.delay_ms),
            "distribution": behaviour.distribution,
            "spread_ms": float(behaviour.spread_ms),
        }
    )
    return Responder.model_validate(
        {"response_bytes": int(behaviour.response_bytes), "processes": upstream.workers, **delay}
    )


def _resolved(definition: Definition, upstream: UpstreamServer, arm: ArmDefinition) -> UpstreamServer:
    return resolve(definition, arm).upstream_servers[definition.upstream_servers.index(upstream)]


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
    texts = {"p": "x" * _PIECE} if sink.content == "text" else _paragraphs(pieces)
    named = "".join(f"${name}" for name in islice(cycle(texts), pieces))
    return (
        "client_max_body_size 0;",
        *_READ_BODY,
        "location @answer {",
        *(["    default_type text/html;"] if sink.content == "html" else []),
        *(f'    set ${name} "{text}";' for name, text in texts.items() if pieces),
        f'    return 200 "{texts[min(texts)][:rest]}{named}";',
        "}",
    )


_DIFFERENT = 16
"""Pieces of a page that differ."""
_WORDS = (
    "a.about.after.all.also.an.and.any.are.as.at.back.be.because.been.but.by.can.come.could.day.do.even."
    "first.for.from.get.give.go.good.has.have.he.her.him.his.how.if.in.into.is.it.its.just.know.like.look."
    "make.many.me.more.most.my.new.no.not.now.of.on.one.only.or.other.our.out.over.people.say.see.she.so."
    "some.take.than.that.the.their.them.then.there.these.they.think.this.time.to.two.up.us.use.want.was."
    "way.we.well.were.what.when.which.who.will.with.work.would.year.you.your"
)


def _paragraphs(pieces: int) -> dict[str, str]:
    """So many pieces of a page, or as many as differ, each by the name of a variable; the same ones always."""
    draw = Random(0)  # noqa: S311 (no secret)
    return {chr(ord("a") + number): _paragraph(draw) for number in range(min(max(pieces, 1), _DIFFERENT))}


def _paragraph(draw: Random) -> str:
    text = " ".join(draw.choices(_WORDS.split("."), k=_PIECE))
    return f"<p>{text[: _PIECE - len('<p></p>.')]}.</p>"


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


_SKELETON = """\
{modules}worker_processes {workers};
pid @@pid_file@@;
error_log @@error_log@@ warn;

events {{
    worker_connections 16384;
}}

http {{
    access_log off;
    client_body_temp_path @@folder@@/temp/client_body;
    proxy_temp_path @@folder@@/temp/proxy;
    fastcgi_temp_path @@folder@@/temp/fastcgi;
    uwsgi_temp_path @@folder@@/temp/uwsgi;
    scgi_temp_path @@folder@@/temp/scgi;
    keepalive_requests 1000000000;
    keepalive_timeout 3600s;
{http}
    server {{
        listen 127.0.0.1:@@status_port@@;
        location = /stub_status {{ stub_status; }}
    }}

    server {{
{listens}
{server}
    }}
}}
"""


def render_upstream_server(definition: Definition, upstream: UpstreamServer, arm: ArmDefinition) -> str:
    """The whole nginx.conf of an upstream server in one arm. Raises DefinitionError."""
    ports = range(1, upstream.instances + 1)
    http, server = _behaviour(definition, upstream, arm)
    ssl, certificate = (" ssl", TLS) if upstream.tls else ("", ())
    if upstream.protocol == "grpc":
        ssl, server = f"{ssl} http2", (*_GRPC, *server)
    return _SKELETON.format(
        workers=upstream.workers,
        modules="@@modules@@\n" if upstream_server_modules(upstream) else "",
        http=_indented(http, 4),
        listens=_indented([*(f"listen @@address@@:@@port.{port}@@{ssl};" for port in ports), *certificate], 8),
        server=_indented(server, 8),
    )


def _behaviour(
    definition: Definition, upstream: UpstreamServer, arm: ArmDefinition
) -> tuple[Sequence[str], Sequence[str]]:
    """Lines for ``http`` and for the server: ready-made, or the definition's own fragment."""
    index = definition.upstream_servers.index(upstream)
    behaviour = _resolved(definition, upstream, arm).behaviour
    if behaviour is not None and not isinstance(behaviour, Echo):
        return behaviour_http(behaviour), behaviour_server(behaviour)
    fragment = render_fragment(f"upstream_servers.{index}.server", upstream.server, definition.variables(arm))
    return (), [text for text, _ in fragment.lines]


def _indented(lines: Sequence[str], spaces: int) -> str:
    return "\n".join(f"{' ' * spaces}{line}" if line else "" for line in lines)
