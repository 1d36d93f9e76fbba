"""Write the nginx.conf of an arm. What only the host knows stays as ``@@name@@``."""

from collections.abc import Callable

from jinja2 import StrictUndefined, TemplateError, UndefinedError
from jinja2.sandbox import SandboxedEnvironment
from ngxlab_contracts.trials import BACKEND_VARIABLE_PREFIX

from ngxlab.experiments.definition import ArmDefinition, Definition
from ngxlab.experiments.resolve import resolve

_environment = SandboxedEnvironment(
    undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False
)

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
{{ server }}
    }
}
"""


class ConfigTemplateError(ValueError):
    """A fragment cannot be rendered. ``field`` says which, e.g. ``nginx.server``."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def _indent(text: str, spaces: int) -> str:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return "\n".join(" " * spaces + line if line else "" for line in lines if line or len(lines) > 1)


def _fragment(definition: Definition, name: str, variables: dict[str, object]) -> str:
    source: str = getattr(definition.nginx, name)
    try:
        return _environment.from_string(source).render(variables)
    except TemplateError as error:
        raise ConfigTemplateError(f"nginx.{name}", error.message or str(error)) from error


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
    listen_options = _fragment(definition, "listen_options", variables).strip()
    text = _environment.from_string(_SKELETON).render(
        workers=resolved.workers,
        worker_connections=resolved.worker_connections,
        events=_indent(_fragment(definition, "events", variables), 4),
        http=_indent(_fragment(definition, "http", variables), 4),
        listen_options=f" {listen_options}" if listen_options else "",
        server=_indent(_fragment(definition, "server", variables), 8),
    )

    return text + "\n"
