"""Which nginx modules the ready-made parts of a definition need."""

from ngxlab_contracts.trials import DynamicModule

from ngxlab.definition.schema.nginx import NginxTemplate
from ngxlab.definition.schema.upstream_servers import Backend, Slow


def nginx_modules(nginx: NginxTemplate) -> list[DynamicModule]:
    """Of the nginx under test."""
    return ["http_lua_module"] if nginx.upstreams is not None and nginx.upstreams.through == "lua" else []


def backend_modules(backend: Backend) -> list[DynamicModule]:
    """Of a backend's own nginx."""
    return ["http_lua_module"] if isinstance(backend.behaviour, Slow) else []
