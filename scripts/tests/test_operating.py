"""docs/operating.md is true: its commands run, in its order, on a real stack; its proxy serves the product over TLS."""

import os
import re
import ssl
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import services

from scripts.paths import ROOT
from scripts.stack.waiting import wait_until
from scripts.tests.installation import Installation, installation

pytestmark = pytest.mark.timeout(600)

TEXT = (ROOT / "docs" / "operating.md").read_text()
ELSEWHERE = {"git pull"}
"""What changes the checkout itself."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    return [line for block in blocks("sh") for line in block.splitlines() if line not in ELSEWHERE]


@contextmanager
def certificate(folder: Path) -> Iterator[tuple[Path, Path]]:
    key, made = folder / "lab.key", folder / "lab.crt"
    order = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", "/CN=lab", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", str(key), "-out", str(made)]  # fmt: skip
    subprocess.run(order, check=True, capture_output=True)
    yield made, key


@contextmanager
def proxy(stack: Installation, folder: Path) -> Iterator[tuple[int, Path]]:
    """The documented nginx, with this machine's files and ports: its port, and whom to trust."""
    [server] = blocks("nginx")
    port = services.free_port()
    with certificate(folder) as (made, key):
        changes = {
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
            "/etc/ssl/lab.crt": str(made),
            "/etc/ssl/lab.key": str(key),
            "http://127.0.0.1:8400": stack.url,
        }
        for old, new in changes.items():
            assert old in server
            server = server.replace(old, new)
        paths = "".join(
            f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (folder / "nginx.conf").write_text(
            f"daemon off; pid {folder}/pid; error_log stderr; events {{}}\n"
            f"http {{ access_log off; {paths}\n{server}}}\n"
        )
        with subprocess.Popen(["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder)]) as process:
            try:
                wait_until(lambda: services.answers(port), "nginx answering")
                yield port, made
            finally:
                process.terminate()


def test_the_commands_run_in_their_order_and_the_proxy_serves_the_product(tmp_path: Path) -> None:
    with installation() as stack, tempfile.TemporaryDirectory() as backups:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("NGXLAB_", "MAKE"))}
        environment |= {"NGXLAB_DATA_DIR": str(stack.data), "DATABASE_URL": "", "REDIS_URL": ""}
        environment |= {name: str(port) for name, port in stack.ports.items()}
        assert len(commands()) >= 10
        for command in commands():
            if command == "make down":
                with proxy(stack, tmp_path) as (port, authority):
                    trusting = ssl.create_default_context(cafile=str(authority))
                    with urllib.request.urlopen(f"https://127.0.0.1:{port}/readyz", context=trusting) as answer:
                        assert answer.status == 200
            here = command.replace("/srv/backup", backups).replace("127.0.0.1:8400", stack.url.removeprefix("http://"))
            shell = ["bash", "-euc", here]
            done = subprocess.run(shell, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{here}\n{done.stdout}\n{done.stderr}"
        assert {file.name for file in Path(backups).iterdir()} == {"before-upgrade", "ngxlab.backup"}
        assert stack.processes() == {}


def test_an_agents_client_trusts_the_authority_that_it_is_told(tmp_path: Path) -> None:
    """The setting that the page names is one that the agents' HTTP client reads."""
    asked = "import sys; from ngxlab_worker.uplink.api_client import EnrolClient; EnrolClient(sys.argv[1]).script()"
    with certificate(tmp_path) as (made, key):
        port = services.free_port()
        pair = ["-cert", str(made), "-key", str(key)]
        serving = ["openssl", "s_server", "-quiet", "-accept", f"127.0.0.1:{port}", *pair, "-www"]
        with subprocess.Popen(serving, stdout=subprocess.DEVNULL) as server:
            try:
                wait_until(lambda: services.answers(port), "a server with TLS")
                command = [str(ROOT / ".venv/bin/python"), "-c", asked, f"https://127.0.0.1:{port}/"]
                told = os.environ | {"SSL_CERT_FILE": str(made)}
                assert subprocess.run(command, env=told, check=False).returncode == 0
                refused = subprocess.run(command, capture_output=True, text=True, check=False)
                assert "ApiUntrustedError" in refused.stderr
            finally:
                server.terminate()
