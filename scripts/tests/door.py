"""The frontend's nginx of the containers, with this machine's ports and folders."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import services

from scripts.containers import certificates
from scripts.paths import ROOT
from scripts.stack.waiting import wait_until


@contextmanager
def nginx(folder: Path, *backends: int) -> Iterator[int]:
    """docker/nginx.conf in front of these ports, as of so many replicas: its own port. What ``add_tls`` has made there
    counts, too. Answers say in X-Served-By who gave them."""
    port = services.free_port()
    changes = {
        "/tmp/": f"{folder}/",
        "listen 8080": f"listen 127.0.0.1:{port}",
        "/srv/frontend": str(folder),
        "server backend:8400;": " ".join(f"server 127.0.0.1:{backend};" for backend in backends),
        "server_tokens off;": "server_tokens off; add_header X-Served-By $upstream_addr;",
        "/dev/stderr": "stderr",
        "/etc/nginx/tls.d/": f"{folder}/tls.d/",
    }
    (folder / "nginx.conf").write_text(_changed("docker/nginx.conf", changes))
    order = ["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder), "-g", "daemon off;"]
    with subprocess.Popen(order) as process:
        try:
            wait_until(lambda: services.answers(port), "nginx answering")
            yield port
        finally:
            process.terminate()


def add_tls(folder: Path) -> tuple[int, Path]:
    """As the compose file's profile does: the port, and the authority that signed the certificate of 127.0.0.1."""
    made, port = certificates.make(folder, "127.0.0.1"), services.free_port()
    changes = {
        "8443": f"127.0.0.1:{port}",
        "/run/secrets/tls_cert": str(made.certificate),
        "/run/secrets/tls_key": str(made.key),
    }
    (folder / "tls.d").mkdir()
    (folder / "tls.d" / "tls.conf").write_text(_changed("docker/tls.conf", changes))
    return port, made.authority


def _changed(file: str, changes: dict[str, str]) -> str:
    text = (ROOT / file).read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text
