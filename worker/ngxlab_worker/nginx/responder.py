"""An upstream server that speaks FastCGI, uwsgi, SCGI, memcached or WebSocket: a program of ours, no nginx."""

import shutil
from pathlib import Path

from ngxlab_contracts.trials import Responder as ResponderSpec
from ngxlab_contracts.trials import UpstreamServerSpec

from ngxlab_worker.confinement import Fence
from ngxlab_worker.core.files import write_new
from ngxlab_worker.engines.native import ProgramMissingError, find_program
from ngxlab_worker.nginx.ports import free_ports
from ngxlab_worker.nginx.process import NginxError, Pause
from ngxlab_worker.nginx.server import UpstreamServer, accepts
from ngxlab_worker.sandbox import Sandbox
from ngxlab_worker.sandbox.identity import make_log
from ngxlab_worker.sandbox.process import children

PROGRAM = "ngxlab-respond"


class Responder(UpstreamServer):
    """Used as any other upstream server is. It has neither a configuration nor a status page."""

    def __init__(
        self, spec: UpstreamServerSpec, responder: ResponderSpec, folder: Path, sandbox: Sandbox, pause: Pause
    ) -> None:
        super().__init__(spec, folder, sandbox, pause)
        self._responder = responder
        self._program = folder / PROGRAM

    @property
    def counts_requests(self) -> bool:
        return False

    def configure(self) -> None:
        """Raises ``NginxError`` where the program is missing, or ``OSError`` where the address is not this host's."""
        try:
            # A copy, since the user it runs as may not be able to reach the place where it was built.
            shutil.copy(find_program(PROGRAM), self._program)
        except ProgramMissingError as error:
            raise NginxError("upstream-program-missing", str(error)) from error
        self._program.chmod(0o755)
        self._ports = free_ports(self._spec.instances, self._spec.address)
        self.fence = Fence(listens=tuple((self._spec.address, port) for port in self._ports))
        make_log(self.error_log, self._sandbox.run_as)
        write_new(self.config_file, f"# {' '.join(self._arguments()[1:])}\n")

    def workers(self) -> list[int]:
        try:
            return [self.master, *children(self.master)]
        except ProcessLookupError:  # it has ended: see check()
            return []

    def _arguments(self) -> tuple[str, ...]:
        told = self._responder
        protocol = "websocket" if told.echoes else self._spec.protocol
        words = ["--protocol", protocol, "--address", self._spec.address]
        for port in self._ports:
            words += ["--port", str(port)]
        words += ["--bytes", str(told.response_bytes), "--processes", str(told.processes)]
        words += ["--delay-ms", str(told.delay_ms), "--distribution", told.distribution]
        return (str(self._program), *words, "--spread-ms", str(told.spread_ms))

    def _is_ready(self) -> bool:
        """Whether it accepts connections, in all of its processes."""
        return len(self.workers()) >= self._responder.processes and accepts((self._spec.address, self._ports[-1]))


def upstream_server(spec: UpstreamServerSpec, folder: Path, sandbox: Sandbox, pause: Pause) -> UpstreamServer:
    """An nginx, or the program that speaks what nginx does not."""
    if spec.responder is not None:
        return Responder(spec, spec.responder, folder, sandbox, pause)
    return UpstreamServer(spec, folder, sandbox, pause)
