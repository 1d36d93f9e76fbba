"""A trial whose nginx passes requests on, with the counts of the upstream server beside it."""

from collections.abc import Sequence

from analysis import builders
from analysis.builders import line
from ngxlab.analysis.records import HostRecord
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import Event
from ngxlab_contracts.trials import UpstreamServerSpec

PER_S = 600
"""Requests of the stream, each second of its window of 10."""
CONFIG = """\
events {{ worker_connections 1024; }}
http {{
    access_log off;
    {http}
    upstream app {{ @@upstream.app@@ {group} }}
    server {{ listen 127.0.0.1:@@http_port@@; location / {{ proxy_pass http://app; {location} }} }}
}}
"""


def config(*, location: str = "", group: str = "", http: str = "") -> str:
    return CONFIG.format(location=location, group=group, http=http)


def trial(
    nginx: str,
    *,
    upstream_per_s: float = PER_S,
    new_per_s: float = 0,
    upstream: str = "",
    version: str = "nginx/1.22.1",
    stream: StreamSpec | None = None,
    extra: Sequence[Event] = (),
    counts: bool = True,
) -> HostRecord:
    """``upstream_per_s`` and ``new_per_s``: requests and connections that reach the upstream server."""
    of = builders.spec(config=nginx, streams=[stream] if stream is not None else None)
    server = UpstreamServerSpec(key="app", binary="/usr/sbin/nginx", config=upstream, instances=2)
    of = of.model_copy(update={"upstream_servers": [server]})
    own = {"upstream": "app"}
    columns = [
        ("upstream_connections_accepted_total", own, line(new_per_s, 1)),
        ("upstream_http_requests_total", own, line(upstream_per_s + 1, 5)),
        ("upstream_stub_status_polls_total", own, line(1, 5)),
    ]
    known = builders.inventory()
    binary = known.nginx[0].model_copy(update={"version": version})
    return builders.host(
        of,
        [builders.collector(of, columns, name="upstream_status.app")] if counts else [],
        builders.intervals(of, lambda t_s: [1000] * PER_S),
        extra,
        of_inventory=known.model_copy(update={"nginx": [binary]}),
    )
