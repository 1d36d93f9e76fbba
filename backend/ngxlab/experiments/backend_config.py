"""Write the nginx.conf of an upstream server. What only the host knows stays as ``@@name@@``."""

from ngxlab.experiments.definition import ArmDefinition, Backend, Definition
from ngxlab.experiments.fragments import render_fragment
from ngxlab.experiments.modules import backend_modules

_SKELETON = """\
{modules}worker_processes 1;
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


def render_backend(definition: Definition, backend: Backend, arm: ArmDefinition) -> str:
    """The whole nginx.conf of a backend in one arm. Raises ConfigTemplateError."""
    field = f"backends.{definition.backends.index(backend)}.server"
    server = render_fragment(field, backend.server, definition.variables(arm))
    ports = range(1, backend.instances + 1)
    listens = "\n".join(f"        listen @@address@@:@@port.{port}@@;" for port in ports)
    modules = "@@modules@@\n" if backend_modules(backend) else ""
    return _SKELETON.format(modules=modules, listens=listens, server="\n".join(text for text, _ in server.indented(8)))
