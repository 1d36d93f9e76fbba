"""Trials as the backend would specify them."""

import shutil
from typing import Any
from uuid import uuid4

from ngxlab_contracts.trials import NginxSpec, SamplingSpec, StreamSpec, TimingSpec, TrialSpec

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
        nginx=NginxSpec(binary=shutil.which("nginx") or "/usr/sbin/nginx", config=config, workers=2),
        streams=[StreamSpec(key="main", engine="wrk", **{"threads": 1, "connections": 20, **(stream or {})})],
        timing=TimingSpec(**{"warmup_s": 0.4, "measure_s": 1.2, **timing}),
        sampling=SamplingSpec(interval_ms=200),
    )
