"""One nginx in a folder of its own: master and workers of a single trial."""

import contextlib
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

from ngxlab_contracts.trials import NginxSpec

from ngxlab_worker.collectors import ParseError, read_status
from ngxlab_worker.nginx.config import LOCAL, RunValues, UnknownVariableError, render, sets_daemon
from ngxlab_worker.nginx.ports import free_ports
from ngxlab_worker.sandbox import Child, Command, Sandbox, SandboxError
from ngxlab_worker.sandbox.process import children

Pause = Callable[[float], None]
"""Sleeps that many seconds, or raises at once when the trial is to end."""

TEST_TIMEOUT_S = 15.0
QUIT_TIMEOUT_S = 0.5
POLL_S = 0.002
ERROR_OPTION_SINCE = (1, 19, 5)

_builds: dict[tuple[str, int], str] = {}


class NginxError(Exception):
    """nginx cannot be used. ``code`` is stable; the message carries nginx's own words."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class NginxServer:
    """Use in order: :meth:`configure`, :meth:`start`, :meth:`stop`. ``stop`` is safe in every state."""

    def __init__(self, spec: NginxSpec, folder: Path, sandbox: Sandbox, pause: Pause) -> None:
        self._spec = spec
        self._folder = folder
        self._sandbox = sandbox
        self._pause = pause
        self._child: Child | None = None
        self.values = RunValues(0, 0, folder)
        self.config = ""
        self.build = ""

    @property
    def http_port(self) -> int:
        return self.values.http_port

    @property
    def status_address(self) -> tuple[str, int]:
        return (LOCAL, self.values.status_port)

    @property
    def master(self) -> int:
        """PID of the master; raises ``NginxError`` before the start."""
        if self._child is None:
            raise NginxError("nginx-start-failed", "nginx has not been started")
        return self._child.pid

    def configure(self) -> None:
        """Write nginx.conf with free ports and let ``nginx -t`` judge it. Raises ``NginxError``."""
        self.build = self._build_info()
        http_port, status_port = free_ports(2)
        self.values = RunValues(http_port, status_port, self._folder)
        try:
            self.config = render(self._spec.config, self.values)
        except UnknownVariableError as error:
            raise NginxError("nginx-config-invalid", str(error)) from error
        self._config_file.write_text(self.config)
        self._config_file.chmod(0o644)  # whatever our umask: another user reads it
        code, said = self._run("test", *self._arguments(), "-t")
        if code != 0:
            raise NginxError("nginx-config-invalid", said or f"nginx -t ended with {code}")

    def start(self, timeout_s: float) -> None:
        """Start, and wait until the status listener answers and all workers are there. Raises ``NginxError``."""
        try:
            self._child = self._sandbox.spawn(self._command("nginx", *self._arguments()))
        except SandboxError as error:
            raise NginxError("nginx-start-failed", str(error)) from error
        deadline = time.monotonic() + timeout_s
        while not (self._answers() and len(self.workers()) >= self._spec.workers):
            self.check()
            if time.monotonic() > deadline:
                raise NginxError("nginx-not-ready", f"nginx did not answer on its status port within {timeout_s:g} s")
            self._pause(POLL_S)

    def workers(self) -> list[int]:
        """PIDs of the worker processes (not of cache helpers), in the order the master started them."""
        found = []
        for pid in children(self.master):
            with contextlib.suppress(OSError):
                if b"worker process" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return found

    def check(self) -> None:
        """Raises ``NginxError`` where nginx has ended by itself."""
        if self._child is not None and (code := self._child.wait(0)) is not None:
            raise NginxError("nginx-died", f"nginx ended by itself ({code}): {self._last_words()}")

    def stop(self) -> None:
        """Let nginx finish what it serves, for half a second at most; then nothing of it is left."""
        if self._child is not None:
            self._child.signal(signal.SIGQUIT)
            self._child.wait(QUIT_TIMEOUT_S)
            self.kill()

    def kill(self) -> None:
        """Leave nothing of nginx, at once."""
        if self._child is not None:
            self._child.kill()

    @property
    def _config_file(self) -> Path:
        return self._folder / "nginx.conf"

    def _arguments(self) -> tuple[str, ...]:
        arguments = [self._spec.binary, "-p", f"{self._folder}/", "-c", str(self._config_file)]
        if _version(self.build) >= ERROR_OPTION_SINCE:
            # Else it first opens the log that was compiled in, and warns that it may not.
            arguments += ["-e", str(self.values.error_log)]
        if not sets_daemon(self.config):
            arguments += ["-g", "daemon off;"]
        return tuple(arguments)

    def _answers(self) -> bool:
        try:
            read_status(self.status_address)
        except (OSError, ParseError):
            return False
        return True

    def _last_words(self) -> str:
        said = self._child.stderr_text() if self._child is not None else ""
        return said or "it printed nothing"

    def _build_info(self) -> str:
        """``nginx -V``, asked once per build of the binary."""
        try:
            key = (self._spec.binary, Path(self._spec.binary).stat().st_mtime_ns)
        except OSError as error:
            raise NginxError("nginx-missing", f"cannot use {self._spec.binary}: {error.strerror}") from error
        if key not in _builds:
            code, said = self._run("build", self._spec.binary, "-V")
            if code != 0:
                raise NginxError("nginx-missing", f"{self._spec.binary} -V ended with {code}: {said}")
            _builds[key] = said
        return _builds[key]

    def _run(self, name: str, *argv: str) -> tuple[int, str]:
        """Run to the end; the exit code and what was printed as an error."""
        deadline = time.monotonic() + TEST_TIMEOUT_S
        try:
            child = self._sandbox.spawn(self._command(name, *argv))
        except SandboxError as error:
            raise NginxError("nginx-start-failed", str(error)) from error
        try:
            while (code := child.wait(0.05)) is None:
                self._pause(0)
                if time.monotonic() > deadline:
                    raise NginxError("nginx-not-ready", f"{' '.join(argv)} took longer than {TEST_TIMEOUT_S:g} s")
        finally:
            child.kill()
        return code, child.stderr_text()

    def _command(self, name: str, *argv: str) -> Command:
        return Command(argv, self._folder, self._folder / f"{name}.out", self._folder / f"{name}.err")


def _version(build: str) -> tuple[int, ...]:
    found = re.search(r"nginx/(\d+)\.(\d+)\.(\d+)", build)
    return tuple(int(word) for word in found.groups()) if found else (0, 0, 0)
