"""The stack's supervisord: its configuration, start and end, and commands to it over a private Unix socket."""

import http.client
import signal
import socket
import subprocess
import xmlrpc.client
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypedDict, cast

from scripts.console import Failure
from scripts.paths import BIN, ROOT
from scripts.stack.credentials import write_private
from scripts.stack.processes import ProcessId, end, wait_gone
from scripts.stack.services import Service
from scripts.stack.settings import Settings
from scripts.stack.waiting import wait_healthy

LAUNCHER = ROOT / "scripts" / "stack" / "launch.py"
SUPERVISORD = ROOT / "scripts" / "stack" / "supervisord.py"
START_PATIENCE_S = 10
STOP_PATIENCE_S = 45
ANSWER_TIMEOUT_S = 60
DO_NOT_WAIT = False
HARMLESS_FAULTS = ("ALREADY_STARTED", "NOT_RUNNING")
"""Faults that say that the process reached the wanted state by itself, between the query and the command."""
RUNNING = frozenset({"RUNNING", "STARTING", "BACKOFF"})
"""States in which supervisord runs the process, or is about to."""


class ProcessInfo(TypedDict):
    """What we use of supervisor's getProcessInfo. Times are Unix seconds."""

    name: str
    statename: str
    pid: int
    start: int
    now: int
    spawnerr: str


def up_s(info: ProcessInfo) -> float:
    """Seconds since the process started, by the kernel: the supervisor's own times are whole seconds."""
    process = ProcessId.of(info["pid"])
    return process.age_s() if process is not None else float(info["now"] - info["start"])


class Supervisor:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._config = settings.run / "supervisord.conf"
        self._pidfile = settings.run / "supervisord.pid"
        self._rpc = xmlrpc.client.ServerProxy("http://localhost/RPC2", transport=_UnixTransport(settings.run))

    def process(self) -> ProcessId | None:
        found = ProcessId.read(self._pidfile)
        return found if found is not None and found.alive() else None

    def apply(self, services: Iterable[Service]) -> None:
        """Configure supervisord for exactly ``services``, and start it if needed.

        Stops services that changed or were removed; starts none.
        """
        write_private(self._config, render(self._settings, services))
        if self._is_of_an_older_version():
            self.shut_down()
        if self.process() is None:
            self._launch()
            return
        _added, changed, removed = self._call("reloadConfig")[0]
        self.stop(*changed, *removed)
        for name in [*changed, *removed]:
            self._call("removeProcessGroup", name)
        known = {info["name"] for info in self.processes().values()}
        for service in services:
            if service.name not in known:
                self._call("addProcessGroup", service.name)

    def processes(self) -> dict[str, ProcessInfo]:
        """The supervised processes by service name; empty where supervisord does not run."""
        if self.process() is None:
            return {}
        infos = cast("list[ProcessInfo]", self._call("getAllProcessInfo"))
        return {info["name"]: info for info in infos}

    def start(self, name: str) -> None:
        """Start ``name`` unless it runs or is starting. Does not wait for it to become healthy."""
        if self.processes()[name]["statename"] not in RUNNING:
            self._call("startProcess", name, DO_NOT_WAIT)

    def stop(self, *names: str) -> None:
        """Stop services at the same time, and wait for their ends (supervisord kills what takes too long)."""
        for name in self._among_running(names):
            self._call("stopProcess", name, DO_NOT_WAIT)  # which, if waited for, is looked at once a second
        if wait_healthy(lambda: ", ".join(self._among_running(names)) or None, STOP_PATIENCE_S) is not None:
            raise Failure(f"{', '.join(self._among_running(names))} did not end", f"look into {self._settings.logs}")

    def _among_running(self, names: Iterable[str]) -> list[str]:
        known = self.processes()
        return [name for name in names if name in known and known[name]["statename"] in {*RUNNING, "STOPPING"}]

    def shut_down(self) -> None:
        """End supervisord itself, which stops the services that still run."""
        process = self.process()
        if process is None:
            return
        process.send(signal.SIGTERM)
        if not wait_gone([process], STOP_PATIENCE_S):
            end([process], signal.SIGKILL, START_PATIENCE_S)

    def _is_of_an_older_version(self) -> bool:
        """Whether supervisord runs otherwise than :meth:`_launch` would start it."""
        process = self.process()
        return process is not None and str(SUPERVISORD).encode() not in process.command()

    def _launch(self) -> None:
        (self._settings.run / "supervisor.sock").unlink(missing_ok=True)
        command: list[str | Path] = [BIN / "python", "-I", "-S", LAUNCHER, "--pidfile", self._pidfile,
                   "--home", "/", "--", BIN / "python", "-P", SUPERVISORD, "--nodaemon", "--silent",
                   "--configuration", self._config]  # fmt: skip
        with (self._settings.logs / "supervisord.out").open("wb") as output:
            subprocess.Popen(
                command, cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
        complaint = wait_healthy(self._complaint, START_PATIENCE_S)
        if complaint is not None:
            raise Failure(f"supervisord does not answer: {complaint}", f"look into {self._settings.logs}/supervisord.*")

    def _complaint(self) -> str | None:
        try:
            self._rpc.supervisor.getState()
        except (OSError, http.client.HTTPException) as error:
            return str(error)
        return None

    def _call(self, method: str, *arguments: object) -> Any:
        try:
            return getattr(self._rpc.supervisor, method)(*arguments)
        except xmlrpc.client.Fault as fault:
            if fault.faultString.startswith(HARMLESS_FAULTS):
                return None
            raise Failure(
                f"supervisord refused {method} {arguments}: {fault.faultString}", f"look into {self._settings.logs}"
            ) from fault
        except (OSError, http.client.HTTPException) as error:
            raise Failure(f"supervisord does not answer: {error}", "make down, then make up") from error


def render(settings: Settings, services: Iterable[Service]) -> str:
    """supervisord's configuration. It must be private, as the environments contain secrets."""
    owner = "user=root\n" if Path("/proc/self").stat().st_uid == 0 else ""
    head = (
        f"[supervisord]\n{owner}logfile={settings.logs}/supervisord.log\nlogfile_maxbytes=5MB\nlogfile_backups=2\n"
        f"pidfile={settings.run}/supervisord.own-pid\nchildlogdir={settings.logs}\nminfds=256\nminprocs=64\n\n"
        f"[unix_http_server]\nfile={settings.run}/supervisor.sock\nchmod=0700\n\n"
        "[rpcinterface:supervisor]\n"
        "supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface\n"
    )
    return head + "".join(_render_program(settings, service) for service in services)


def _render_program(settings: Settings, service: Service) -> str:
    options = ["--user", service.user] if service.user else []
    if service.needs_bytes:
        options += ["--needs-bytes", str(service.needs_bytes), "--on-disk-of", str(settings.data)]
    launcher = [str(BIN / "python"), "-I", "-S", str(LAUNCHER), "--pidfile", f"{settings.run}/{service.name}.pid",
                "--home", str(settings.run), "--death-signal", f"SIG{service.stop_signal}", *options, "--"]  # fmt: skip
    command = " ".join(_quoted(word) for word in [*launcher, *service.command])
    environment = ",".join(f"{name}={_quoted(value)}" for name, value in sorted(service.environment.items()))
    return (
        f"\n[program:{service.name}]\ncommand={command}\nenvironment={environment}\ndirectory={settings.data}\n"
        "autostart=false\nautorestart=true\nstartsecs=1\nstartretries=1000000\n"
        f"stopsignal={service.stop_signal}\nstopwaitsecs={service.stop_wait_s}\nkillasgroup=true\n"
        f"redirect_stderr=true\nstdout_logfile={settings.logs}/{service.name}.log\n"
        "stdout_logfile_maxbytes=10MB\nstdout_logfile_backups=3\n"
    )


def _quoted(text: str) -> str:
    """A word for supervisord, which expands ``%`` and reads shell-like quotes."""
    if '"' in text or "\n" in text:
        raise Failure(f"supervisord cannot pass a value with a quote or a line break: {text!r}", "use another value")
    return '"' + text.replace("\\", "\\\\").replace("%", "%%") + '"'


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=ANSWER_TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class _UnixTransport(xmlrpc.client.Transport):
    def __init__(self, run_folder: Path) -> None:
        super().__init__()
        self._path = run_folder / "supervisor.sock"

    def make_connection(self, host: object) -> http.client.HTTPConnection:
        return _UnixConnection(self._path)
