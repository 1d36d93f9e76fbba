"""Write the nginx.conf of an arm. What only the host knows stays as ``@@name@@``."""

from collections.abc import Callable

from jinja2 import UndefinedError
from ngxlab_contracts.trials import BACKEND_VARIABLE_PREFIX

from ngxlab.experiments.definition import ArmDefinition, Definition
from ngxlab.experiments.fragments import ConfigTemplateError, environment, indent, render_fragment
from ngxlab.experiments.resolve import resolve

_SKELETON = """\
daemon off;
worker_processes {{ workers }};
pid @@pid_file@@;
error_log @@error_log@@ warn;

events {
    worker_connections {{ worker_connections }};
{{ events }}
}

http {
    access_log off;
    client_body_temp_path @@folder@@/temp/client_body;
    proxy_temp_path @@folder@@/temp/proxy;
    fastcgi_temp_path @@folder@@/temp/fastcgi;
    uwsgi_temp_path @@folder@@/temp/uwsgi;
    scgi_temp_path @@folder@@/temp/scgi;
{{ http }}

    server {
        listen 127.0.0.1:@@status_port@@;
        keepalive_requests 1000000000;
        location = /stub_status { stub_status; }
    }

    server {
        listen @@address@@:@@http_port@@{{ listen_options }};
{% if tls %}
        ssl_certificate @@folder@@/tls.crt;
        ssl_certificate_key @@folder@@/tls.key;
{% endif %}
{{ server }}
    }
}
"""


__all__ = ["ConfigTemplateError", "render"]


def _fragment(definition: Definition, name: str, variables: dict[str, object]) -> str:
    return render_fragment(f"nginx.{name}", getattr(definition.nginx, name), variables)


def _backend_servers(definition: Definition) -> Callable[[str], str]:
    """For templates: ``{{ backend("KEY") }}`` stands for the servers of a declared backend."""
    known = {backend.key for backend in definition.backends}

    def servers(key: str) -> str:
        if key not in known:
            raise UndefinedError(f"there is no backend {key!r}")
        return f"@@{BACKEND_VARIABLE_PREFIX}{key}@@"

    return servers


def render(definition: Definition, arm: ArmDefinition) -> str:
    """The whole nginx.conf of one arm, with run variables as ``@@name@@``. Raises ConfigTemplateError."""
    resolved = resolve(definition, arm)
    variables: dict[str, object] = {**resolved.variables, "backend": _backend_servers(definition)}
    listen_options = " ".join(
        ["ssl" * definition.nginx.tls, _fragment(definition, "listen_options", variables)]
    ).strip()
    text = environment.from_string(_SKELETON).render(
        workers=resolved.workers,
        worker_connections=resolved.worker_connections,
        events=indent(_fragment(definition, "events", variables), 4),
        http=indent(_fragment(definition, "http", variables), 4),
        listen_options=f" {listen_options}" if listen_options else "",
        tls=definition.nginx.tls,
        server=indent(_fragment(definition, "server", variables), 8),
    )
    return text + "\n"
