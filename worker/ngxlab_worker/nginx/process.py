"""An nginx in a folder of its own, whatever its role: start, supervision and end."""

import contextlib
import re
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from ngxlab_contracts.trials import STATUS_LOCATION

from ngxlab_worker.confinement import Fence
from ngxlab_worker.core.files import is_full, write_new
from ngxlab_worker.core.programs import ProgramError
from ngxlab_worker.nginx.build import parse_build, static_modules
from ngxlab_worker.nginx.config import UnknownVariableError, fill, sets_daemon
from ngxlab_worker.sandbox import Child, Command, Sandbox, SandboxError
from ngxlab_worker.sandbox.identity import make_log
from ngxlab_worker.sandbox.process import children, killed_by

Pause = Callable[[float], None]
"""Sleeps that many seconds, or raises at once when the trial is to end."""

TEST_TIMEOUT_S = 15.0
QUIT_TIMEOUT_S = 0.5
POLL_S = 0.002
ENDING = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT}
LARGEST_EXIT_CODE = 127
"""A higher code means that a signal ended the process."""
ERROR_OPTION_SINCE = (1, 19, 5)

_builds: dict[tuple[str, int], str] = {}


class NginxError(Exception):
    """nginx cannot be used. ``code`` is stable; the message quotes what nginx printed."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class NginxProcess(ABC):
    """Use in order: a subclass's ``configure``, :meth:`start`, :meth:`stop`. ``stop`` is safe in every state.

    The codes of its errors begin with ``role``; their messages call it ``title``.
    """

    role = "nginx"
    title = "nginx"

    def __init__(self, binary: str, cpus: str | None, folder: Path, sandbox: Sandbox, pause: Pause) -> None:
        self._binary = binary
        self._cpus = cpus
        self._folder = folder
        self._sandbox = sandbox
        self._pause = pause
        self._child: Child | None = None
        self._told_to_end = False
        self.reloading = threading.Lock()
        self.halts = Halts()
        self.config = ""
        self.build = ""
        self.read_only: tuple[Path, ...] = ()
        """Files that it reads besides those of its folder; a sandbox shows it those below /usr anyway."""
        self.fence = Fence()
        """Where it listens and what it connects to, once it is configured."""

    @property
    def error_log(self) -> Path:
        return self._folder / "error.log"

    @abstractmethod
    def _is_ready(self) -> bool: ...

    @property
    def master(self) -> int:
        """PID of the master; raises ``NginxError`` before the start."""
        if self._child is None:
            raise NginxError(f"{self.role}-start-failed", f"{self.title} has not been started")
        return self._child.pid

    def start(self, timeout_s: float) -> None:
        """Start it, and wait until it serves. Raises ``NginxError``."""
        try:
            self._child = self._sandbox.spawn(self._command("nginx", *self._arguments()))
        except SandboxError as error:
            raise self._not_started(error) from error
        deadline = time.monotonic() + timeout_s
        while not self._is_ready():
            self.check()
            if time.monotonic() > deadline:
                raise NginxError(f"{self.role}-not-ready", f"{self.title} did not answer within {timeout_s:g} s")
            self._pause(POLL_S)

    def signal(self, number: signal.Signals) -> None:
        """Signal the master; does nothing once it has ended."""
        self._told_to_end = self._told_to_end or number in ENDING
        if self._child is not None:
            self._child.signal(number)

    def workers(self) -> list[int]:
        """PIDs of the worker processes that accept connections, in the order the master started them. Cache helpers
        and workers that only finish what they serve are left out."""
        pids = []
        with contextlib.suppress(ProcessLookupError):  # the master has ended: see check()
            for pid in children(self.master):
                with contextlib.suppress(OSError):
                    title = Path(f"/proc/{pid}/cmdline").read_bytes()
                    if b"worker process" in title and b"shutting down" not in title:
                        pids.append(pid)
        return pids

    def check(self) -> None:
        """Raises ``NginxError`` where it has ended, by itself or killed by a stranger."""
        if self._child is not None and (code := self._child.wait(0)) is not None:
            if (killer := killed_by(code)) is not None and not self._told_to_end:
                raise NginxError(
                    f"{self.role}-killed", f"{self.title} was ended by {killer}, which ngxlab did not send"
                )
            raise NginxError(f"{self.role}-died", f"{self.title} ended by itself ({code}): {self._last_words()}")

    def stop(self) -> None:
        """Let it finish what it serves for half a second at most, then kill what is left of it."""
        if self._child is not None:
            self._child.signal(signal.SIGQUIT)
            self._child.wait(QUIT_TIMEOUT_S)
            self.kill()

    def kill(self) -> None:
        if self._child is not None:
            self._child.kill()

    @property
    def counts_requests(self) -> bool:
        """Whether it answers ``/stub_status``, by what its build says once it is known."""
        try:
            return "http_stub_status_module" in static_modules(parse_build(self.build).configure_arguments)
        except ProgramError:
            return False

    def _write(self, template: str, variables: Mapping[str, str]) -> None:
        if not self.counts_requests:
            template = template.replace(STATUS_LOCATION, "")
        try:
            self.config = fill(template, variables)
        except UnknownVariableError as error:
            raise NginxError(f"{self.role}-config-invalid", str(error)) from error
        write_new(self.config_file, self.config)
        make_log(self.error_log, self._sandbox.run_as)

    def _test(self) -> None:
        code, said = self._run("test", *self._arguments(), "-t")
        if killer := killed_by(code):
            raise NginxError(f"{self.role}-killed", f"nginx -t was ended by {killer}, which ngxlab did not send")
        if code < 0 or code > LARGEST_EXIT_CODE:  # the configuration is not at fault
            raise NginxError(f"{self.role}-start-failed", f"nginx -t crashed ({code}): {said or 'it printed nothing'}")
        if code != 0 and is_full(self._folder):
            raise NginxError("disk-full", f"nginx -t cannot write to the full disk of {self._folder}: {said}")
        if code != 0:
            raise NginxError(f"{self.role}-config-invalid", said or f"nginx -t ended with {code}")

    @property
    def config_file(self) -> Path:
        """The configuration, which nginx reads at its start and at each reload."""
        return self._folder / "nginx.conf"

    def _arguments(self) -> tuple[str, ...]:
        arguments = [self._binary, "-p", f"{self._folder}/", "-c", str(self.config_file)]
        if _version(self.build) >= ERROR_OPTION_SINCE:
            # Otherwise it first opens the compiled-in log, and warns that it may not.
            arguments += ["-e", str(self.error_log)]
        if not sets_daemon(self.config):
            arguments += ["-g", "daemon off;"]
        return tuple(arguments)

    def _not_started(self, error: SandboxError) -> NginxError:
        return NginxError(f"{self.role}-{'killed' if error.killed else 'start-failed'}", str(error))

    def _last_words(self) -> str:
        said = self._child.stderr_text() if self._child is not None else ""
        return said or "it printed nothing"

    def _build_info(self) -> str:
        """The output of ``nginx -V``, asked once for each version of the binary. The exit code decides nothing: Tengine
        before 2.3 answers, and then fails on the configuration that it was built for."""
        try:
            key = (self._binary, Path(self._binary).stat().st_mtime_ns)
        except OSError as error:
            raise NginxError("nginx-missing", f"cannot run {self._binary}: {error.strerror}") from error
        if key not in _builds:
            code, said = self._run("build", self._binary, "-V")
            if code != 0 and not _is_build(said):
                raise NginxError("nginx-missing", f"{self._binary} -V ended with {code}: {said}")
            _builds[key] = said
        return _builds[key]

    def _run(self, name: str, *argv: str) -> tuple[int, str]:
        """Run a command to its end; the exit code and the text on standard error."""
        deadline = time.monotonic() + TEST_TIMEOUT_S
        try:
            child = self._sandbox.spawn(replace(self._command(name, *argv), brief=True))
        except SandboxError as error:
            raise self._not_started(error) from error
        try:
            while (code := child.wait(0.05)) is None:
                self._pause(0)
                if time.monotonic() > deadline:
                    raise NginxError(
                        f"{self.role}-not-ready", f"{' '.join(argv)} took longer than {TEST_TIMEOUT_S:g} s"
                    )
        finally:
            child.kill()
        return code, child.stderr_text()

    def _command(self, name: str, *argv: str) -> Command:
        out, err = (self._folder / f"{name}.{stream}" for stream in ("out", "err"))
        shown = tuple(path for path in self.read_only if not path.is_relative_to("/usr"))
        return Command(argv, self._folder, out, err, cpus=self._cpus, read_only=shown, fence=self.fence)


def _is_build(said: str) -> bool:
    try:
        return bool(parse_build(said).configure_arguments)
    except ProgramError:
        return False


def _version(build: str) -> tuple[int, ...]:
    number = re.search(r"nginx/(\d+)\.(\d+)\.(\d+)", build)
    return tuple(int(word) for word in number.groups()) if number else (0, 0, 0)


Send = Callable[[signal.Signals], None]
"""Signals one process. Where it has ended, raises ``ProcessLookupError`` or does nothing."""


class Halts:
    """Stops processes, from any thread. One that is stopped twice is resumed when both have ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped: Counter[int] = Counter()

    @property
    def any(self) -> bool:
        """Whether some process is stopped, so that it would not answer."""
        return self._stopped.total() > 0

    @contextmanager
    def during(self, processes: Mapping[int, Send]) -> Iterator[None]:
        """Stop ``processes``, given by id, and resume them afterwards in any case. Raises ``OSError``."""
        with ExitStack() as undo:
            for pid, send in processes.items():
                undo.callback(self._resume, pid, send)
                self._stop(pid, send)
            yield

    def _stop(self, pid: int, send: Send) -> None:
        with self._lock:
            self._stopped[pid] += 1
            send(signal.SIGSTOP)

    def _resume(self, pid: int, send: Send) -> None:
        with self._lock:
            self._stopped[pid] -= 1
            # A process that ended while it was stopped need not be resumed.
            if self._stopped[pid] == 0:
                with contextlib.suppress(ProcessLookupError):
                    send(signal.SIGCONT)


RELOAD_POLL_S = 0.005
Wait = Callable[[float], bool]
"""Sleeps that many seconds, or returns ``False`` at once when no time is left."""


def reload(nginx: NginxProcess, timeout_s: float, wait: Wait) -> int:
    """Have nginx read its configuration again; returns the number of workers once all of them are new.

    nginx starts the new workers and tells the old ones 100 ms later to finish what they serve. With a broken
    configuration the old ones stay (see the error log). Only one reload runs at a time. Raises ``NginxError``.
    """
    with nginx.reloading:
        old = set(nginx.workers())
        deadline = time.monotonic() + timeout_s
        if not wait(0):
            raise NginxError("nginx-not-reloaded", "the load ended before the reload")
        nginx.check()  # it may have ended while this thread waited for the lock
        nginx.signal(signal.SIGHUP)
        while True:
            now = set(nginx.workers())
            if len(now) >= max(1, len(old)) and not now & old:
                return len(now)
            if time.monotonic() > deadline:
                reason = f"{len(now & old)} of {len(old)} workers are still old ones after {timeout_s:g} s"
                raise NginxError("nginx-not-reloaded", reason)
            if not wait(RELOAD_POLL_S):
                raise NginxError("nginx-not-reloaded", "the load ended before all workers were new")
