"""The servers of one trial: the nginx under test, and those that play upstream servers for it."""

import re
import socket
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ngxlab_contracts.trials import (
    TARGET_ENDPOINT,
    UPSTREAM_VARIABLE_PREFIX,
    DynamicModule,
    Endpoint,
    NginxSpec,
    UpstreamServerSpec,
)
from ngxlab_policy.arguments import PASSWORDS
from ngxlab_policy.document import loaded_modules, modules_of_directives, named_files

from ngxlab_worker.collectors import ParseError, read_status
from ngxlab_worker.confinement import Fence
from ngxlab_worker.confinement.fence import Place
from ngxlab_worker.nginx.access_log import count_handshakes
from ngxlab_worker.nginx.build import modules_folder, parse_build, static_modules
from ngxlab_worker.nginx.certificate import make_certificate, make_passwords
from ngxlab_worker.nginx.config import LOCAL, RunValues, literal, upstreams
from ngxlab_worker.nginx.ports import free_ports
from ngxlab_worker.nginx.process import NginxError, NginxProcess, Pause
from ngxlab_worker.sandbox import Sandbox
from ngxlab_worker.sandbox.identity import make_log

CONNECT_TIMEOUT_S = 0.5
_OF_QUIC = re.compile(r"^\s*listen\s[^;]*\squic\b", re.MULTILINE)


class NginxServer(NginxProcess):
    """Use in order: :meth:`configure`, :meth:`start`, :meth:`stop`. ``stop`` is safe in every state."""

    def __init__(self, spec: NginxSpec, folder: Path, sandbox: Sandbox, pause: Pause) -> None:
        super().__init__(spec.binary, spec.cpus, folder, sandbox, pause)
        self._spec = spec
        self.values = RunValues((0,), 0, folder, spec.address)

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(name=TARGET_ENDPOINT, address=self._spec.address, ports=list(self.values.http_ports))

    @property
    def status_address(self) -> tuple[str, int]:
        return (LOCAL, self.values.status_port)

    @property
    def counters_address(self) -> tuple[str, int] | None:
        """Where nginx tells what it has counted; ``None`` for a build without stub_status, and where it passes on by
        TCP what it does not look into."""
        return self.status_address if self.counts_requests and not self._spec.tcp else None

    @property
    def access_log(self) -> Path:
        """The log of each request, where ``request_times`` is set."""
        return self.values.folder / "access.log"

    @property
    def phases_log(self) -> Path:
        """The log of the parts of each request's time, where ``phases`` is set."""
        return self.values.folder / "phases.log"

    @property
    def watches_tls(self) -> bool:
        return self._spec.watches_tls

    @property
    def tls_log(self) -> Path:
        """The log of each connection, where ``watches_tls`` is set and the configuration has it."""
        return self.values.folder / "tls.log"

    def handshakes(self) -> tuple[int, int] | None:
        """Full and resumed ones so far; ``None`` where nginx does not log them."""
        return count_handshakes(self.tls_log) if str(self.tls_log) in self.config else None

    def configure(self, upstream_servers: Iterable[Endpoint] = ()) -> None:
        """Write nginx.conf with free ports and the addresses of ``upstream_servers``, and test it with ``nginx -t``.

        Raises ``NginxError``, or ``OSError`` where the address is not this host's.
        """
        self.build = self._build_info()
        self.read_only = tuple(_allowed_files(self._spec.config))
        if self._spec.tls:
            key, chain = self._spec.certificate_key, self._spec.certificate_chain
            make_certificate(self._folder, self._spec.address, self._sandbox.run_as, key, chain)
        if PASSWORDS in self._spec.config:
            make_passwords(self._folder, self._sandbox.run_as)
        upstream_servers = list(upstream_servers)
        status_port, *http_ports = free_ports(1 + self._spec.ports, *{self._spec.address, LOCAL})
        asked = modules_of_directives(self._spec.config)
        modules = "\n".join(
            filter(None, (_load_modules(self._spec.modules, self.build), _load_asked(asked, self.build)))
        )
        self.values = RunValues(tuple(http_ports), status_port, self._folder, self._spec.address, modules)
        connects = tuple((server.address, port) for server in upstream_servers for port in server.ports)
        spec = self._spec
        listens = _listening(spec.address, http_ports, status_port)
        self.fence = Fence(connects, listens, tuple(http_ports) if _OF_QUIC.search(spec.config) else ())
        logs = {self.access_log: spec.request_times, self.tls_log: spec.watches_tls, self.phases_log: spec.phases}
        for log, written in logs.items():
            if written:
                make_log(log, self._sandbox.run_as)
        self._write(self._spec.config, self.values.variables() | upstreams(upstream_servers))
        self._test()

    def _is_ready(self) -> bool:
        """Whether the status listener answers and all workers have started; without stub_status, it accepts."""
        if self.counts_requests:
            try:
                read_status(self.status_address)
            except (OSError, ParseError):
                return False
        elif not accepts(self.status_address):
            return False
        return len(self.workers()) >= self._spec.workers


class UpstreamServer(NginxProcess):
    """An nginx that plays an upstream server, with a port for each instance. Used as :class:`NginxServer` is."""

    role = "upstream"

    def __init__(self, spec: UpstreamServerSpec, folder: Path, sandbox: Sandbox, pause: Pause) -> None:
        super().__init__(spec.binary, spec.cpus, folder, sandbox, pause)
        self._spec = spec
        self.key = spec.key
        self.title = f"upstream server {spec.key}"
        self._ports: list[int] = []
        self._status_port = 0

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(name=f"{UPSTREAM_VARIABLE_PREFIX}{self.key}", address=self._spec.address, ports=self._ports)

    @property
    def status_address(self) -> tuple[str, int]:
        return (LOCAL, self._status_port)

    def configure(self) -> None:
        """Write nginx.conf with free ports. It is not tested, since the start shows any error sooner.

        Raises ``NginxError``, or ``OSError`` where the address is not this host's.
        """
        self.build = self._build_info()
        if self._spec.tls:
            make_certificate(self._folder, self._spec.address, self._sandbox.run_as)
        self._status_port, *self._ports = free_ports(1 + self._spec.instances, *{self._spec.address, LOCAL})
        self.fence = Fence(listens=_listening(self._spec.address, self._ports, self._status_port))
        variables = {
            "address": literal(self._spec.address),
            "folder": str(self._folder),
            "pid_file": str(self._folder / "nginx.pid"),
            "error_log": str(self.error_log),
            "status_port": str(self._status_port),
            "modules": _load_modules(self._spec.modules, self.build),
        }
        variables |= {f"port.{number}": str(port) for number, port in enumerate(self._ports, 1)}
        self._write(self._spec.config, variables)

    def _is_ready(self) -> bool:
        """Whether it accepts connections. nginx binds all its ports before it starts a worker."""
        return bool(self.workers()) and accepts((self._spec.address, self._ports[-1]))


def _listening(address: str, ports: Iterable[int], status_port: int) -> tuple[Place, ...]:
    return (*((address, port) for port in ports), (LOCAL, status_port))


def accepts(address: tuple[str, int]) -> bool:
    try:
        socket.create_connection(address, timeout=CONNECT_TIMEOUT_S).close()
    except OSError:
        return False
    return True


_FILES: dict[DynamicModule, tuple[str, ...]] = {
    "http_lua_module": ("ndk_http_module.so", "ngx_http_lua_module.so"),
    "stream_module": ("ngx_stream_module.so",),
}
_PACKAGES: dict[DynamicModule, str] = {
    "http_lua_module": "libnginx-mod-http-lua",
    "stream_module": "libnginx-mod-stream",
}


def _load_modules(modules: Sequence[DynamicModule], build: str) -> str:
    """The lines for the nginx whose ``-V`` printed ``build``; empty where no module has to be loaded.

    Raises ``NginxError`` naming the package to install where a module is missing.
    """
    arguments = parse_build(build).configure_arguments
    built_in, folder = static_modules(arguments), modules_folder(arguments)
    lines = []
    for module in modules:
        if module in built_in:
            continue
        for file in (folder / name for name in _FILES[module]):
            if not file.is_file():
                raise NginxError("nginx-module-missing", f"{file} is missing: install the package {_PACKAGES[module]}")
            lines.append(f"load_module {file};")
    return "\n".join(lines)


def _load_asked(modules: Sequence[str], build: str) -> str:
    """Likewise for modules whose directives the configuration has. Of one that is missing, nginx says which directive
    it does not know; the folder of ngx_brotli has both of its modules."""
    arguments = parse_build(build).configure_arguments
    built_in, folder = static_modules(arguments), modules_folder(arguments)
    files = (folder / f"ngx_{module}.so" for module in modules if module not in built_in)
    return "\n".join(f"load_module {file};" for file in files if file.is_file())


def _allowed_files(config: str) -> Iterator[Path]:
    """The modules that the configuration loads, and files of code that directives beyond the list name: the owner of
    the host allows each. Raises ``NginxError`` where one is missing."""
    for what, named in (("module", loaded_modules(config)), ("code", named_files(config))):
        for file in map(Path, named):
            if not file.exists():
                reason = f"{file} is missing: the owner of the host allows it, but it is not there"
                raise NginxError(f"nginx-{what}-missing", reason)
            yield file
