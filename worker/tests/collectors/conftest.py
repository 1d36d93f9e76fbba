"""Golden files, and a real nginx of our own."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from ngxlab_worker.collectors import read_status

UNPRIVILEGED = 65534
_CONFIG = """
worker_processes 4;
daemon off;
error_log stderr;
pid {folder}/nginx.pid;
events {{ worker_connections 128; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        keepalive_requests {keepalive_requests};
        location = /stub_status {{ stub_status; }}
    }}
}}
"""


@pytest.fixture
def golden() -> Callable[[str], bytes]:
    """Reads a real file of procfs or a page of nginx, captured under load, or one that an older kernel would give."""
    folder = Path(__file__).parent / "golden"
    return lambda name: (folder / name).read_bytes()


@dataclass(frozen=True)
class Nginx:
    address: tuple[str, int]
    master: int

    def workers(self) -> list[int]:
        children = Path(f"/proc/{self.master}/task/{self.master}/children").read_text(encoding="ascii")
        return [int(pid) for pid in children.split()]


StartNginx = Callable[..., Nginx]


@pytest.fixture
def start_nginx() -> Iterator[StartNginx]:
    """``start_nginx(keepalive_requests=…)``: four workers, unprivileged, answering on a port of their own."""
    folder = Path(tempfile.mkdtemp(prefix="ngxlab-test-"))
    is_root = os.geteuid() == 0
    user = UNPRIVILEGED if is_root else os.geteuid()
    os.chown(folder, user, -1)
    masters: list[subprocess.Popen[bytes]] = []

    def start(*, keepalive_requests: int = 1_000_000) -> Nginx:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        config = folder / "nginx.conf"
        config.write_text(_CONFIG.format(folder=folder, port=port, keepalive_requests=keepalive_requests))
        command = ["nginx", "-p", str(folder), "-c", str(config)]
        process = subprocess.Popen(
            command,
            stderr=subprocess.DEVNULL,
            user=user if is_root else None,
            group=user if is_root else None,
            extra_groups=[] if is_root else None,
        )
        masters.append(process)
        nginx = Nginx(("127.0.0.1", port), process.pid)
        wait_ready(nginx, process)
        return nginx

    yield start
    for master in masters:
        master.terminate()
        master.wait(timeout=60)
    shutil.rmtree(folder)


def wait_ready(nginx: Nginx, master: subprocess.Popen[bytes]) -> None:
    while master.poll() is None:
        try:
            read_status(nginx.address)
        except OSError:
            continue
        if len(nginx.workers()) == 4:
            return
    pytest.fail(f"nginx ended with {master.returncode}")
