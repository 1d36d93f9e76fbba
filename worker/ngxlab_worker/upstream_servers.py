"""An nginx that plays an upstream server of the nginx under test, with a port for each instance."""

import socket
from pathlib import Path

from ngxlab_contracts.trials import UPSTREAM_VARIABLE_PREFIX, Endpoint, UpstreamServerSpec

from ngxlab_worker.nginx.certificate import make_certificate
from ngxlab_worker.nginx.config import LOCAL, literal
from ngxlab_worker.nginx.modules import load_modules
from ngxlab_worker.nginx.ports import free_ports
from ngxlab_worker.nginx.process import NginxProcess, Pause
from ngxlab_worker.sandbox import Sandbox

CONNECT_TIMEOUT_S = 0.5


class UpstreamServer(NginxProcess):
    """Use in order: :meth:`configure`, :meth:`start`, :meth:`stop`. ``stop`` is safe in every state."""

    role = "upstream"

    def __init__(self, spec: UpstreamServerSpec, folder: Path, sandbox: Sandbox, pause: Pause) -> None:
        super().__init__(spec.binary, spec.cpus, folder, sandbox, pause)
        self._spec = spec
        self.title = f"upstream server {spec.key}"
        self._ports: list[int] = []
        self._status_port = 0

    @property
    def key(self) -> str:
        return self._spec.key

    @property
    def endpoint(self) -> Endpoint:
        """The address and ports of its instances."""
        name = f"{UPSTREAM_VARIABLE_PREFIX}{self._spec.key}"
        return Endpoint(name=name, address=self._spec.address, ports=self._ports)

    @property
    def status_address(self) -> tuple[str, int]:
        return (LOCAL, self._status_port)

    @property
    def error_log(self) -> Path:
        return self._folder / "error.log"

    def configure(self) -> None:
        """Write nginx.conf with free ports. It is not tested, since the start shows any error sooner.

        Raises ``NginxError``, or ``OSError`` where the address is not this host's.
        """
        self.build = self._build_info()
        if self._spec.tls:
            make_certificate(self._folder, self._spec.address, self._sandbox.run_as)
        self._status_port, *self._ports = free_ports(1 + self._spec.instances, *{self._spec.address, LOCAL})
        variables = {
            "address": literal(self._spec.address),
            "folder": str(self._folder),
            "pid_file": str(self._folder / "nginx.pid"),
            "error_log": str(self.error_log),
            "status_port": str(self._status_port),
            "modules": load_modules(self._spec.modules, self.build),
        }
        variables |= {f"port.{number}": str(port) for number, port in enumerate(self._ports, 1)}
        self._write(self._spec.config, variables)

    def _is_ready(self) -> bool:
        """Whether it accepts connections. nginx binds all its ports before it starts a worker."""
        return bool(self.workers()) and self._accepts(self._ports[-1])

    def _accepts(self, port: int) -> bool:
        try:
            socket.create_connection((self._spec.address, port), timeout=CONNECT_TIMEOUT_S).close()
        except OSError:
            return False
        return True
