"""Rules for the certificate, for files and the way they are kept cold, and for upstream servers and groups together."""

from collections.abc import Sequence

from ngxlab_contracts.files import UniformSizes
from ngxlab_contracts.sentences import say
from ngxlab_policy.arguments import name_problem
from ngxlab_policy.owner import Leave

from ngxlab.definition.problems import Messages, Sections, unknown
from ngxlab.definition.schema.nginx import DynamicUpstreams, NginxTemplate
from ngxlab.definition.schema.upstream_servers import Echo, Sink, UpstreamServer


def problems(sections: Sections) -> Messages:
    nginx = sections.nginx
    for i, upstream in enumerate(sections.upstream_servers or ()):
        yield from _behaviour(f"upstream_servers.{i}", upstream)
    if nginx is not None and nginx.upstreams is not None:
        yield from _upstreams("nginx.upstreams", nginx.upstreams, sections.upstream_servers)
    if nginx is not None:
        yield from _certificate(nginx)
        yield from _beyond_the_list(nginx)
        yield from _sets(nginx)
        yield from _cold(nginx)


def _behaviour(field: str, upstream: UpstreamServer) -> Messages:
    if upstream.behaviour is None and not upstream.server.strip():
        yield f"{field}.server", say("is empty: give the server's directives, or a ready-made behaviour")
    elif upstream.behaviour is not None and upstream.server.strip():
        message = say("give either this or the behaviour {behaviour}, not both", behaviour=upstream.behaviour.kind)
        yield f"{field}.server", message
    if upstream.protocol != "http" and upstream.behaviour is None:
        message = say("is needed with protocol {protocol}: sink or slow", protocol=upstream.protocol)
        yield f"{field}.behaviour", message
    if upstream.protocol != "http" and isinstance(upstream.behaviour, Sink) and upstream.behaviour.content == "html":
        message = say("html is for the protocol http; with {protocol} it is text", protocol=upstream.protocol)
        yield f"{field}.behaviour.content", message
    if isinstance(upstream.behaviour, Echo):
        yield from _echoes(field, upstream)
    if upstream.tls and upstream.protocol not in {"http", "grpc"}:
        tls = "is for the protocols http and grpc; nginx asks {protocol} without TLS here"
        yield f"{field}.tls", say(tls, protocol=upstream.protocol)


def _echoes(field: str, upstream: UpstreamServer) -> Messages:
    if upstream.protocol != "http":
        yield f"{field}.protocol", say("must be http: WebSocket is an upgrade of HTTP/1.1")
    if upstream.tls:
        yield f"{field}.tls", say("must be off: an upstream server that echoes speaks WebSocket without TLS")


def _upstreams(field: str, upstreams: DynamicUpstreams, upstream_servers: Sequence[UpstreamServer] | None) -> Messages:
    keys = [upstream.key for upstream in upstream_servers] if upstream_servers is not None else None
    tls = {upstream.key for upstream in upstream_servers or () if upstream.tls}
    others = {upstream.key: upstream.protocol for upstream in upstream_servers or () if upstream.protocol != "http"}
    for i, group in enumerate(upstreams.groups):
        if group.server in others:
            message = "{server} speaks {protocol}, but groups that change are asked by HTTP"
            yield (
                f"{field}.groups.{i}.server",
                say(message, server=group.server, protocol=others[group.server]),
            )
        if group.server in tls:
            message = "{server} has tls, but groups that change are asked by plain HTTP"
            yield f"{field}.groups.{i}.server", say(message, server=group.server)
        if keys is not None and group.server not in keys:
            yield f"{field}.groups.{i}.server", unknown("upstream server", group.server, keys)
        if group.key[0].isdigit():
            yield f"{field}.groups.{i}.key", say("must begin with a letter: nginx would read it as an address")
        if (problem := name_problem(group.key)) is not None:
            yield f"{field}.groups.{i}.key", problem
    yield from _belongs(field, upstreams)


def _belongs(field: str, upstreams: DynamicUpstreams) -> Messages:
    """Settings that only one value of ``through`` supports."""
    through = upstreams.through
    if through != "lua" and upstreams.lock_us_per_node != 0:
        message = say("needs through: lua, which simulates it; {through} has its own costs", through=through)
        yield f"{field}.lock_us_per_node", message
    if through == "reload" and upstreams.trylock:
        yield f"{field}.trylock", say("needs through: lua or tengine; a reload takes no lock")
    if through != "tengine" and upstreams.health_check:
        yield f"{field}.health_check", say("needs through: tengine; active health checks are a module of Tengine")
    for i, group in enumerate(upstreams.groups):
        if through != "tengine" and group.health_check:
            yield f"{field}.groups.{i}.health_check", say("needs through: tengine, which has active health checks")


def _certificate(nginx: NginxTemplate) -> Messages:
    for name in ("certificate_key", "certificate_chain"):
        if not nginx.tls and getattr(nginx, name) != NginxTemplate.model_fields[name].default:
            yield f"nginx.{name}", say("is about the certificate that is made where nginx.tls is on")


def _beyond_the_list(nginx: NginxTemplate) -> Messages:
    for name in nginx.allow_directives.split():
        if not Leave((name,)).covers(name):
            message = say("{name} is no name of a directive that the owner of a host can allow", name=name)
            yield "nginx.allow_directives", message


def _sets(nginx: NginxTemplate) -> Messages:
    for i, files in enumerate(nginx.files):
        if (files.size_bytes is None) == (files.sizes is None):
            yield f"nginx.files.{i}.size_bytes", say("give either size_bytes or sizes")
        if files.compression_ratio is not None and files.content != "text":
            yield f"nginx.files.{i}.compression_ratio", say("is only for content: text")
        if isinstance(files.sizes, UniformSizes) and files.sizes.max_bytes < files.sizes.min_bytes:
            yield f"nginx.files.{i}.sizes.max_bytes", say("is less than min_bytes")


def _cold(nginx: NginxTemplate) -> Messages:
    cold = nginx.cold_files
    if cold is None:
        return
    if not any(files.cold for files in nginx.files):
        yield "nginx.cold_files", say("says how cold files are kept cold, but no set of nginx.files is cold")
    limits = (("read_bytes_per_s", cold.read_bytes_per_s), ("read_ops_per_s", cold.read_ops_per_s))
    if cold.method == "throttle" and all(value is None for _, value in limits):
        message = say("throttle needs a limit: read_bytes_per_s, read_ops_per_s, or both")
        yield "nginx.cold_files.read_bytes_per_s", message
    if cold.method != "throttle":
        for name, value in limits:
            if value is not None:
                yield f"nginx.cold_files.{name}", say("is only for method throttle")
