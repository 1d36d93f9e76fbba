"""A real nginx on a configuration as it is rendered, its placeholders filled in as the agent does."""

import http.client
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ngxlab_worker.nginx.ports import free_ports

MODULES = "".join(
    f"load_module /usr/lib/nginx/modules/{name}.so;\n" for name in ("ndk_http_module", "ngx_http_lua_module")
)


class RenderedNginx:
    """``ports`` take the load."""

    def __init__(self, folder: Path, ports: list[int], status_port: int) -> None:
        self.folder = folder
        self.ports = ports
        self.status_port = status_port

    def ask(
        self, path: str, *, method: str = "GET", body: bytes | None = None, status: bool = False, port: int = 0
    ) -> tuple[int, bytes]:
        """Over a connection of its own: status and body."""
        chosen = self.status_port if status else self.ports[port]
        connection = http.client.HTTPConnection("127.0.0.1", chosen, timeout=10)
        try:
            connection.request(method, path, body)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()


@contextmanager
def running(folder: Path, config: str, *, ports: int = 1, **more: str) -> Iterator[RenderedNginx]:
    """``ports``: how many of ``@@port.N@@`` there are; ``more`` fills in what else stands between ``@@``."""
    status_port, *own_ports = free_ports(1 + ports)
    nginx = RenderedNginx(folder, own_ports, status_port)
    path = folder / "nginx.conf"
    path.write_text(filled(config, nginx, more))
    (folder / "temp").mkdir(exist_ok=True)
    folder.chmod(0o755)
    command = ["/usr/sbin/nginx", "-p", str(folder), "-c", str(path), "-e", str(folder / "error.log")]
    if "daemon off" not in config:
        command += ["-g", "daemon off;"]
    process = subprocess.Popen(command)
    try:
        _await(nginx, process)
        yield nginx
    finally:
        process.terminate()
        process.wait()


def filled(config: str, nginx: RenderedNginx, more: Mapping[str, str]) -> str:
    values = {
        "folder": str(nginx.folder),
        "pid_file": str(nginx.folder / "nginx.pid"),
        "error_log": str(nginx.folder / "error.log"),
        "address": "127.0.0.1",
        "http_port": str(nginx.ports[0]),
        "status_port": str(nginx.status_port),
        "modules": MODULES,
        **{f"port.{i}": str(port) for i, port in enumerate(nginx.ports, 1)},
        **more,
    }
    for name, value in values.items():
        config = config.replace(f"@@{name}@@", value)
    # nginx's workers are nobody: what the folder holds must be theirs to write.
    return f"user root;\n{config}"


def _await(nginx: RenderedNginx, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 10
    while True:
        try:
            nginx.ask("/stub_status", status=True)
        except OSError:
            assert process.poll() is None, (nginx.folder / "error.log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        else:
            return
