"""The nginx under test: master, workers and status page of one trial."""

import socket
from collections.abc import Iterable
from pathlib import Path

from ngxlab_contracts.trials import TARGET_ENDPOINT, Endpoint, NginxSpec

from ngxlab_worker.collectors import ParseError, read_status
from ngxlab_worker.nginx.certificate import make_certificate
from ngxlab_worker.nginx.config import LOCAL, RunValues, upstreams
from ngxlab_worker.nginx.modules import load_modules, named_modules
from ngxlab_worker.nginx.ports import free_ports
from ngxlab_worker.nginx.process import NginxProcess, Pause
from ngxlab_worker.sandbox import Sandbox

CONNECT_TIMEOUT_S = 0.5


class NginxServer(NginxProcess):
    """Use in order: :meth:`configure`, :meth:`start`, :meth:`stop`. ``stop`` is safe in every state."""

    def __init__(self, spec: NginxSpec, folder: Path, sandbox: Sandbox, pause: Pause) -> None:
        super().__init__(spec.binary, spec.cpus, folder, sandbox, pause)
        self._spec = spec
        self.values = RunValues((0,), 0, folder, spec.address)

    @property
    def endpoint(self) -> Endpoint:
        """The address and ports that take the load."""
        return Endpoint(name=TARGET_ENDPOINT, address=self._spec.address, ports=list(self.values.http_ports))

    @property
    def status_address(self) -> tuple[str, int]:
        return (LOCAL, self.values.status_port)

    @property
    def counters_address(self) -> tuple[str, int] | None:
        """Where nginx tells what it has counted; ``None`` for a build without stub_status."""
        return self.status_address if self.counts_requests else None

    @property
    def error_log(self) -> Path:
        return self.values.error_log

    @property
    def access_log(self) -> Path:
        """The log of each request, where ``request_times`` is set."""
        return self.values.folder / "access.log"

    def configure(self, upstream_servers: Iterable[Endpoint] = ()) -> None:
        """Write nginx.conf with free ports and the addresses of ``upstream_servers``, and test it with ``nginx -t``.

        Raises ``NginxError``, or ``OSError`` where the address is not this host's.
        """
        self.build = self._build_info()
        self.read_only = named_modules(self._spec.config)
        if self._spec.tls:
            make_certificate(self._folder, self._spec.address, self._sandbox.run_as)
        status_port, *http_ports = free_ports(1 + self._spec.ports, *{self._spec.address, LOCAL})
        modules = load_modules(self._spec.modules, self.build)
        self.values = RunValues(tuple(http_ports), status_port, self._folder, self._spec.address, modules)
        self._write(self._spec.config, self.values.variables() | upstreams(upstream_servers))
        self._test()

    def _is_ready(self) -> bool:
        """Whether the status listener answers and all workers have started; without stub_status, it accepts."""
        try:
            if self.counts_requests:
                read_status(self.status_address)
            else:
                socket.create_connection(self.status_address, timeout=CONNECT_TIMEOUT_S).close()
        except (OSError, ParseError):
            return False
        return len(self.workers()) >= self._spec.workers
