"""The nginx modules that ready-made sections of a definition need."""

from ngxlab_contracts.trials import DynamicModule

from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.upstream_servers import Slow, UpstreamServer


def nginx_modules(nginx: NginxTemplate) -> list[DynamicModule]:
    """Modules of the nginx under test."""
    return ["http_lua_module"] if nginx.upstreams is not None and nginx.upstreams.through == "lua" else []


def upstream_server_modules(upstream: UpstreamServer) -> list[DynamicModule]:
    """Modules of an upstream server's own nginx."""
    return ["http_lua_module"] if isinstance(upstream.behaviour, Slow) else []
