"""Configurations of the shapes that people have, and a real nginx's judgement of what becomes of them."""

import subprocess
from functools import cache
from pathlib import Path

from definition.test_nginx_document import filled
from ngxlab.configurations.conversion import Build, Choices, Converted, convert
from ngxlab.configurations.sound import settle
from ngxlab.definition.nginx.config import render
from ngxlab.definition.schema.definition import Definition
from ngxlab_worker.nginx.build import parse_build
from ngxlab_worker.nginx.config import fill

OWN = Path(__file__).parent / "own"
NAMES = sorted(path.name for path in OWN.glob("*.conf"))
_NAMES = ("folder", "pid_file", "error_log", "address", "status_port", "http_port")


def files(name: str) -> dict[str, str]:
    return {name: (OWN / name).read_text()}


@cache
def build() -> Build:
    said = subprocess.run(["/usr/sbin/nginx", "-V"], capture_output=True, text=True, check=True).stderr
    parsed = parse_build(said)
    found = Build.of(parsed.version, parsed.configure_arguments)
    assert found is not None
    return found


def converted(texts: dict[str, str], choices: Choices | None = None) -> Converted:
    made = convert(texts, choices or Choices(), build())
    settle(made)
    return made


def refusal(definition: Definition, folder: Path) -> str:
    """What ``nginx -t`` says of the first arm that it refuses; empty if it takes all."""
    (folder / "temp").mkdir(exist_ok=True)
    _make_certificate(folder)
    values = {name: filled(f"@@{name}@@", folder) for name in _NAMES}
    values["modules"] = "load_module /usr/lib/nginx/modules/ngx_stream_module.so;"
    for number, server in enumerate(definition.upstream_servers, 1):
        addresses = (f"server 127.{number}.0.1:{port};" for port in range(1, server.instances + 1))
        values[f"upstream.{server.key}"] = " ".join(addresses)
    path = folder / "nginx.conf"
    for arm in definition.arms:
        path.write_text(fill(render(definition, arm), values))
        tested = subprocess.run(
            ["/usr/sbin/nginx", "-t", "-p", folder, "-c", path], capture_output=True, text=True, check=False
        )
        if tested.returncode != 0:
            return f"{arm.key}: {tested.stderr}\n{path.read_text()}"
    return ""


def _make_certificate(folder: Path) -> None:
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=a -keyout tls.key"
    subprocess.run([*command.split(), "-out", "tls.crt"], cwd=folder, capture_output=True, check=True)
