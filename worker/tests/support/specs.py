"""Trials as the backend would specify them."""

import shutil
from typing import Any
from uuid import uuid4

from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.trials import NginxSpec, SamplingSpec, TimingSpec, TrialSpec, UpstreamServerSpec

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"

CONFIG = """\
daemon off;
worker_processes 2;
pid @@pid_file@@;
error_log @@error_log@@ warn;
events { worker_connections 1024; }
http {
    access_log off;
    client_body_temp_path @@folder@@/temp/client_body;
    proxy_temp_path @@folder@@/temp/proxy;
    fastcgi_temp_path @@folder@@/temp/fastcgi;
    uwsgi_temp_path @@folder@@/temp/uwsgi;
    scgi_temp_path @@folder@@/temp/scgi;
    server {
        listen 127.0.0.1:@@status_port@@;
        keepalive_requests 1000000000;
        location = /stub_status { stub_status; }
    }
    server {
        listen 127.0.0.1:@@http_port@@;
        keepalive_requests 1000000000;
        location / { return 200 "OK\\n"; }
    }
}
"""

PROXY_CONFIG = (
    CONFIG.replace("listen 127.0.0.1:@@http_port@@", "listen @@address@@:@@http_port@@")
    .replace(
        'location / { return 200 "OK\\n"; }',
        'location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; }',
    )
    .replace(
        "    server {",
        "    proxy_ignore_headers X-Accel-Redirect;\n    upstream app { @@upstream.app@@ keepalive 64; }\n    server {",
        1,
    )
)
"""Passes everything to the upstream server ``app``."""

UPSTREAM_CONFIG = """\
worker_processes 1;
pid @@pid_file@@;
error_log @@error_log@@ warn;
events { worker_connections 1024; }
http {
    access_log off;
    client_body_temp_path @@folder@@/temp/client_body;
    proxy_temp_path @@folder@@/temp/proxy;
    fastcgi_temp_path @@folder@@/temp/fastcgi;
    uwsgi_temp_path @@folder@@/temp/uwsgi;
    scgi_temp_path @@folder@@/temp/scgi;
    keepalive_requests 1000000000;
    server {
        listen 127.0.0.1:@@status_port@@;
        location = /stub_status { stub_status; }
    }
    server {
        listen @@address@@:@@port.1@@;
        listen @@address@@:@@port.2@@;
        location / { return 200 "instance $server_port\\n"; }
    }
}
"""


def app_server(address: str = "127.0.0.1", **changes: Any) -> UpstreamServerSpec:
    """Two instances behind the key ``app``."""
    return UpstreamServerSpec(key="app", binary=NGINX, config=UPSTREAM_CONFIG, instances=2, address=address, **changes)


def for_host(whole: TrialSpec, **parts: Any) -> TrialSpec:
    """What one host does in ``whole``: only what is given."""
    return whole.model_copy(update={"nginx": None, "upstream_servers": [], "streams": [], "host_id": uuid4(), **parts})


def fleet_trial(target: str, upstream: str, **timing: Any) -> dict[str, TrialSpec]:
    """A trial on four hosts: a stream on each of ``gen-a`` and ``gen-b`` loads ``target``, which passes all requests
    to ``upstream``. The two addresses are given."""
    whole = trial_spec(**timing)
    nginx = NginxSpec(binary=NGINX, config=PROXY_CONFIG, workers=2, address=target, upstream_servers=["upstream.app"])
    parts = {
        "target": for_host(whole, nginx=nginx, remote_streams=True),
        "upstream": for_host(whole, upstream_servers=[app_server(upstream)]),
    }
    for host in ("gen-a", "gen-b"):
        parts[host] = for_host(whole, streams=[StreamSpec(key=host, engine="wrk", threads=1, connections=10)])
    return parts


def trial_spec(*, config: str = CONFIG, stream: dict[str, Any] | None = None, **timing: float) -> TrialSpec:
    """A short trial: 0.4 s of warm-up and 1.2 s of measurement unless told otherwise."""
    return TrialSpec(
        trial_id=uuid4(),
        run_id=uuid4(),
        host_id=uuid4(),
        arm="default",
        block=1,
        position=1,
        attempt=1,
        nginx=NginxSpec(binary=NGINX, config=config, workers=2),
        streams=[StreamSpec(key="main", **{"engine": "wrk", "threads": 1, "connections": 20, **(stream or {})})],
        timing=TimingSpec(**{"warmup_s": 0.4, "measure_s": 1.2, **timing}),
        sampling=SamplingSpec(interval_ms=200),
    )
