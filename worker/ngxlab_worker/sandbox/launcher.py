"""Starts child processes that are unprivileged, contained, and die with the agent.

There are two kinds of isolation. *Namespace*: bubblewrap gives the child a PID namespace, so that the kernel ends all
its processes at once, even when the agent is killed; the child sees /usr read-only, its trial folder, and little else.
*Guardian*: a small process (``guardian.py``) kills the child when the agent dies, and another program (``wall.py``)
keeps it to its files where the kernel has Landlock.

Both kinds may make the system calls of a list only.

With a *confinement*, all children together also stay within what the host's owner allows.

bubblewrap's death signal is bound to the *thread* that started it, so spawn from the main thread.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from ngxlab_contracts.hosts import Capability

from ngxlab_worker.confinement import Confinement
from ngxlab_worker.core.files import open_regular
from ngxlab_worker.sandbox import guardian, process
from ngxlab_worker.sandbox.command import Command, bubblewrap, drop, limits, placement, walled
from ngxlab_worker.sandbox.identity import RunAs, hand_over
from ngxlab_worker.sandbox.syscalls import obstacle, system_calls

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin", "LANG": "C.UTF-8"}
SPAWN_TIMEOUT_S = 10.0
LONGEST_STDERR = 65_536
KILL_TIMEOUT_S = 30.0
"""Closing a million connections takes the kernel many seconds."""
GATE = ("/bin/sh", "-c", 'read -r _ && exec "$@"', "gate")


class SandboxError(Exception):
    """A child could not be started, or does not die. The message quotes what the launcher printed.

    ``killed``: somebody else, or the kernel for want of memory, ended it before it had started.
    """

    def __init__(self, message: str, *, killed: bool = False) -> None:
        super().__init__(message)
        self.killed = killed


class Isolation(StrEnum):
    NAMESPACE = "namespace"
    GUARDIAN = "guardian"


@dataclass(frozen=True)
class Sandbox:
    """Starts commands with one isolation and as one user (``None``: the agent's own).

    ``fences``: every command is kept to its fence, and not only one that is distrusted. ``filters``: every command is
    kept to its system calls, where this host has a cheap filter for them.
    """

    isolation: Isolation
    run_as: RunAs | None
    confinement: Confinement | None = None
    fences: bool = False
    filters: bool = True

    def spawn(self, command: Command) -> "Child":
        """Start ``command``; returns once its process exists (if gated: once it can be released).

        Raises ``SandboxError`` where that fails within two seconds.
        """
        if not (command.distrusted or (self.filters and obstacle() is None)):
            return self._spawn(command)
        try:
            with system_calls(tcp_clients=command.distrusted) as descriptor:
                held = (*command.descriptors, descriptor)
                return self._spawn(replace(command, descriptors=held, seccomp=descriptor))
        except LookupError as error:
            raise SandboxError(f"{command.argv[0]} cannot be kept to its system calls: {error}") from error

    def _entry(self, command: Command) -> list[str]:
        if command.distrusted and (self.confinement is None or self.isolation is not Isolation.NAMESPACE):
            raise SandboxError(f"{command.argv[0]} cannot be kept to its target here")
        fence = command.fence if self.fences or command.distrusted else None
        try:
            return self.confinement.entry(fence) if self.confinement is not None else []
        except OSError as error:
            reason = error.strerror or error
            raise SandboxError(f"{command.argv[0]} cannot be kept to its addresses: {reason}") from error

    def _spawn(self, command: Command) -> "Child":
        gate = GATE if command.gated else ()
        entry, inner = self._entry(command), [*limits(command, self.confinement), *drop(self.run_as)]
        child: Child
        if self.isolation is Isolation.NAMESPACE:
            with files_of_etc(distrusted=command.distrusted) as etc:
                held = replace(command, descriptors=(*command.descriptors, *etc.values()))
                argv = [*entry, *inner, *bubblewrap(command, etc), *gate, *command.argv]
                child = _NamespaceChild.start(argv, held)
        else:
            # The wall first, with the agent's rights: the child's user may not be able to read where the agent is.
            child = _GuardedChild.start([*entry, *walled(command), *inner, *gate, *command.argv], command)
        if self.confinement is not None:
            self.confinement.launched(child.launcher_pid)
        try:
            child.locate()
        except SandboxError:
            child.kill()
            raise
        return child


class Child(ABC):
    """A running command. :attr:`pid`: the program's PID as seen from outside its namespace."""

    def __init__(self, launcher: "subprocess.Popen[bytes]", command: Command) -> None:
        self._launcher = launcher
        self._command = command
        self.pid = 0

    @property
    def launcher_pid(self) -> int:
        """The process that we started, of which all others of the child descend."""
        return self._launcher.pid

    def release(self) -> None:
        gate = self._launcher.stdin
        if gate is not None and not gate.closed:
            with contextlib.suppress(BrokenPipeError):
                gate.write(b"\n")
                gate.close()

    def wait(self, timeout_s: float) -> int | None:
        """The exit code (128 + n: killed by signal n), or ``None`` while any process of the child is alive."""
        process.await_exit(self._launcher.pid, timeout_s)
        return self._launcher.poll()

    def signal(self, number: signal.Signals) -> None:
        """Signal the program itself; does nothing once it has ended."""
        if self._launcher.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the child and all its descendants, and return when they have ended. It may be called again.

        Raises ``SandboxError`` where they have not ended within :data:`KILL_TIMEOUT_S`.
        """
        if self._launcher.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                self._destroy()
        code = self.wait(KILL_TIMEOUT_S)
        self._close()
        if code is None:
            raise SandboxError(
                f"process {self.pid} ({self._command.argv[0]}) did not end within {KILL_TIMEOUT_S:g} s of SIGKILL"
            )

    def stderr_text(self) -> str:
        """What it has printed there, as far as anybody will want to read it."""
        with os.fdopen(open_regular(self._command.stderr, os.O_RDONLY), "rb") as file:
            return file.read(LONGEST_STDERR).decode(errors="replace").strip()

    def locate(self) -> None:
        """Set :attr:`pid`; the process appears within milliseconds of the start."""
        deadline = time.monotonic() + SPAWN_TIMEOUT_S
        while time.monotonic() < deadline:
            with contextlib.suppress(ProcessLookupError):
                if pid := self._find():
                    self.pid = pid
                    return
            if (code := self._launcher.poll()) is not None:
                if code == 0 or (self._command.brief and not self.stderr_text().startswith("bwrap:")):
                    return  # a short command that has already ended
                message = f"{self._command.argv[0]} did not start ({code}): {self.stderr_text()}"
                raise SandboxError(message, killed=process.killed_by(code) is not None)
            time.sleep(0.0005)
        raise SandboxError(f"{self._command.argv[0]} did not start within {SPAWN_TIMEOUT_S} s")

    def _close(self) -> None:
        if self._launcher.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._launcher.stdin.close()

    @abstractmethod
    def _find(self) -> int | None: ...

    @abstractmethod
    def _destroy(self) -> None: ...


class _NamespaceChild(Child):
    """Launcher (bwrap) -> init of the namespace (bwrap) -> program."""

    def __init__(self, launcher: "subprocess.Popen[bytes]", command: Command) -> None:
        super().__init__(launcher, command)
        self._init: int | None = None

    def wait(self, timeout_s: float) -> int | None:
        code = super().wait(timeout_s)
        if code is not None and self._init is not None:
            # The launcher exits with the program's exit code a moment before the namespace itself has ended.
            process.await_exit(self._init, KILL_TIMEOUT_S)
        return code

    @classmethod
    def start(cls, argv: list[str], command: Command) -> "_NamespaceChild":
        return cls(_popen(argv, command), command)

    def _find(self) -> int | None:
        if init := process.children(self._launcher.pid):
            self._init = init[0]
            return next(iter(process.children(init[0])), None)
        return None

    def _destroy(self) -> None:
        # When the namespace's init is killed, the kernel kills and reaps all others before the launcher returns.
        init = process.children(self._launcher.pid)
        os.kill(init[0] if init else self._launcher.pid, signal.SIGKILL)


class _GuardedChild(Child):
    """Guardian -> program."""

    def __init__(self, launcher: "subprocess.Popen[bytes]", command: Command, close_pipe: Callable[[], None]) -> None:
        super().__init__(launcher, command)
        self._close_pipe = close_pipe

    @classmethod
    def start(cls, argv: list[str], command: Command) -> "_GuardedChild":
        reading, writing = os.pipe()
        life = os.fdopen(writing, "wb", buffering=0)
        try:
            keeper = [sys.executable, "-I", "-S", str(guardian.__file__), str(reading)]
            launcher = _popen([*keeper, *argv], command, pass_fds=(reading,))
        except SandboxError:
            life.close()
            raise
        finally:
            os.close(reading)
        return cls(launcher, command, life.close)

    def _find(self) -> int | None:
        return next(iter(process.children(self._launcher.pid)), None)

    def _destroy(self) -> None:
        self._close_pipe()

    def _close(self) -> None:
        super()._close()
        self._close_pipe()


def _popen(argv: list[str], command: Command, pass_fds: tuple[int, ...] = ()) -> "subprocess.Popen[bytes]":
    with _printing_to(command.stdout) as out, _printing_to(command.stderr) as err:
        try:
            return subprocess.Popen(
                [*placement(command), *argv],
                cwd=command.folder,
                env=ENVIRONMENT,
                stdin=subprocess.PIPE if command.gated else subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                bufsize=0,
                start_new_session=True,
                pass_fds=(*pass_fds, *command.descriptors),
            )
        except OSError as error:
            raise SandboxError(f"cannot start {argv[0]}: {error}") from error


def _printing_to(path: Path) -> BinaryIO:
    return os.fdopen(open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab")


NOBODY_ANSWERS = "127.255.255.254"
"""A loopback address: what is asked there never leaves the host, not even through a resolver that runs on it."""

_USERS = {"root": 0, "nobody": 65534, "www-data": 65533, "nginx": 65532}
"""With those that packages of nginx are built for (``--user``)."""

# A program built on a machine that had these files may insist on them: Tengine opens /etc/resolv.conf at its start if
# its ``configure`` saw one, and an nginx started as root looks its user up. They tell nothing of this host, and no name
# can be resolved, not even localhost: what a trial connects to is given by address.
FILES: Mapping[str, str] = {
    "/etc/resolv.conf": f"nameserver {NOBODY_ANSWERS}\noptions timeout:1 attempts:1\n",
    "/etc/hosts": "",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\n",
    "/etc/passwd": "".join(f"{name}:x:{id_}:{id_}::/:/usr/sbin/nologin\n" for name, id_ in _USERS.items()),
    "/etc/group": "".join(f"{name}:x:{id_}:\n" for name, id_ in {**_USERS, "nogroup": 65534}.items()),
}


@contextmanager
def files_of_etc(*, distrusted: bool) -> Iterator[dict[str, int]]:
    """A descriptor for each file's content, from which bubblewrap makes the file; closed at the end.

    A ``distrusted`` child gets none: nothing that runs a script needs them.
    """
    with ExitStack() as stack:
        yield {} if distrusted else {path: _holding(text, stack) for path, text in FILES.items()}


def _holding(text: str, stack: ExitStack) -> int:
    descriptor = os.memfd_create("etc")
    stack.callback(os.close, descriptor)
    os.write(descriptor, text.encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


REMEDY = "install bubblewrap and allow unprivileged user namespaces (kernel.unprivileged_userns_clone, AppArmor)"


def probe_isolation(run_as: RunAs | None) -> Capability:
    """Start an empty program in a namespace of its own, as ``run_as``; takes about 20 ms."""
    obstacle = _obstacle(run_as)
    detail = f"{obstacle}; {REMEDY}" if obstacle else "bubblewrap with a PID namespace of its own"
    return Capability(name="isolation", available=obstacle is None, detail=detail)


def _obstacle(run_as: RunAs | None) -> str | None:
    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    with tempfile.TemporaryDirectory(prefix="ngxlab-probe-") as name:
        folder = Path(name)
        hand_over(folder, run_as)
        command = Command(("/usr/bin/true",), folder, folder / "out", folder / "err", gated=True)
        try:
            child = Sandbox(Isolation.NAMESPACE, run_as).spawn(command)
        except SandboxError as error:
            return str(error)
        child.release()
        code = child.wait(2.0)
        child.kill()
        return None if code == 0 else f"bwrap ended with {code}: {child.stderr_text()}"


def choose_isolation(run_as: RunAs | None) -> Isolation:
    return Isolation.NAMESPACE if probe_isolation(run_as).available else Isolation.GUARDIAN
