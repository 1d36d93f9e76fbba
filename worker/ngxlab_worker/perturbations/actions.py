"""What perturbations do, by the kind that each gives."""

import contextlib
import http.client
import inspect
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ngxlab_contracts.perturbations import Action as Described
from ngxlab_contracts.perturbations import (
    Churn,
    CpuPressure,
    DiskPressure,
    HttpCall,
    PerturbationSpec,
    Reload,
    SignalNginx,
    Sync,
)
from ngxlab_contracts.trials import TARGET_ENDPOINT, Endpoint

from ngxlab_worker.core.clock import monotonic_us
from ngxlab_worker.core.deadline_http import CHUNK_BYTES, ended_at, left, trusting
from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.nginx.process import Send, reload
from ngxlab_worker.perturbations import disk_writer
from ngxlab_worker.perturbations.action import Action, ActionError, Cue, Done
from ngxlab_worker.sandbox import Child, Command
from ngxlab_worker.upstream_groups import UpstreamGroupError, UpstreamGroups

MOST_BYTES = 16 << 20
FIRST_FAILURE = 400
"""HTTP statuses from here on are failures (RFC 9110, 15)."""


class HttpAction:
    """Calls the endpoint's first port, over a new connection each time. ``tls``: any certificate is accepted, since
    that of a trial is self-signed."""

    def __init__(self, spec: HttpCall, endpoint: Endpoint, *, tls: bool) -> None:
        self._spec = spec
        self._address = (endpoint.address, endpoint.ports[0])
        self._context = trusting() if tls else None
        self._socket: socket.socket | None = None

    def __call__(self, cue: Cue) -> Done:
        deadline = time.monotonic() + self._spec.timeout_s
        with cue.interrupted_by(self._wake):
            try:
                return self._exchange(deadline)
            except (http.client.HTTPException, OSError) as error:
                if cue.stopped:
                    raise ActionError("aborted: the load has ended") from error
                if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
                    raise ActionError(f"no complete answer within {self._spec.timeout_s:g} s") from error
                raise ActionError(str(error) or type(error).__name__) from error
            finally:
                if self._socket is not None:
                    self._socket.close()

    def _exchange(self, deadline: float) -> Done:
        with contextlib.ExitStack() as leftovers:
            return self._called(self._connected(deadline, leftovers), deadline)

    def _called(self, used: socket.socket, deadline: float) -> Done:
        connection = http.client.HTTPConnection(*self._address)
        connection.sock = used
        headers = {"Connection": "close", "User-Agent": "ngxlab"}
        body = self._spec.body.encode() if self._spec.body is not None else None
        connection.request(self._spec.method, self._spec.path, body=body, headers=headers)
        with connection.getresponse() as answer:
            size = 0
            while size < MOST_BYTES and (chunk := answer.read1(CHUNK_BYTES)):
                size += len(chunk)
            left(deadline)  # a connection that was shut in time looks like the end of the answer
            return Done(ok=answer.status < FIRST_FAILURE, status=answer.status, detail=f"{answer.reason}, {size} bytes")

    def _connected(self, deadline: float, leftovers: contextlib.ExitStack) -> socket.socket:
        family = socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET
        self._socket = used = socket.socket(family, socket.SOCK_STREAM)
        used.settimeout(left(deadline))
        used.connect(self._address)
        leftovers.enter_context(ended_at(deadline, used))
        if self._context is not None:
            self._socket = used = self._context.wrap_socket(used)
        return used

    def _wake(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # not connected, or already closed
                self._socket.shutdown(socket.SHUT_RDWR)


Spawn = Callable[[Command], Child]
"""Starts a child that is killed with the trial. From the main thread: children die with the thread that starts them."""


@dataclass(frozen=True)
class Scene:
    """What the actions of this host work with. ``folder`` makes a new empty folder for children.

    ``tls``: the load uses HTTPS. ``disk_writers``: how many disk pressures there are on this host.
    """

    spawn: Spawn
    folder: Callable[[], Path]
    endpoints: Mapping[str, Endpoint]
    nginx: NginxServer | None = None
    groups: UpstreamGroups | None = None
    tls: bool = False
    disk_writers: int = 1


def prepare(spec: PerturbationSpec, scene: Scene) -> Action:
    """An action that can start at once. Call it from the main thread. Raises ``ActionError`` or ``SandboxError``."""
    match spec.action:
        case Reload():
            return partial(_reload, _nginx(spec, scene))
        case SignalNginx() as signalled:
            return partial(_signal, signalled, _nginx(spec, scene))
        case Sync():
            return _sync
        case HttpCall() as call:
            is_load = call.endpoint == TARGET_ENDPOINT
            return HttpAction(call, scene.endpoints[call.endpoint], tls=scene.tls and is_load)
        case Churn() as churn:
            return partial(_churn, churn, scene.groups)
        case CpuPressure() as pressure:
            return partial(_press, scene.spawn(_computing(pressure, scene.folder())))
        case DiskPressure() as pressure:
            return partial(_press, scene.spawn(_writing(pressure, scene.folder(), scene.disk_writers)))


def calls_target(action: Described) -> bool:
    """Whether each answered action is a request to the nginx under test, which counts it with those of the load."""
    return isinstance(action, Churn) or (isinstance(action, HttpCall) and action.endpoint == TARGET_ENDPOINT)


def _nginx(spec: PerturbationSpec, scene: Scene) -> NginxServer:
    if scene.nginx is None:
        raise ActionError(f"perturbation {spec.key} needs the nginx under test, which runs on another host")
    return scene.nginx


RELOAD_TIMEOUT_S = 10.0


def _reload(nginx: NginxServer, cue: Cue) -> Done:
    """Done when every worker that accepts connections is a new one. Old workers may still finish what they serve."""
    return Done(ok=True, detail=f"all {reload(nginx, RELOAD_TIMEOUT_S, cue.wait)} workers are new")


def _sync(_: Cue) -> Done:
    """sync(2) returns when everything is written; it cannot be interrupted."""
    os.sync()
    return Done(ok=True)


def _churn(spec: Churn, groups: UpstreamGroups | None, cue: Cue) -> Done:
    if groups is None:
        raise ActionError("the nginx under test has no upstream groups that can change")
    try:
        status, detail = groups.change(spec.group, spec.timeout_s, cue.wait)
    except UpstreamGroupError as error:
        raise ActionError(str(error)) from error
    return Done(ok=status is None or status < FIRST_FAILURE, detail=detail, status=status)


def _signal(spec: SignalNginx, nginx: NginxServer, cue: Cue) -> Done:
    """The processes are looked up each time, since workers come and go. A stopped process is always resumed."""
    number = signal.Signals[f"SIG{spec.signal}"]
    with _reached(spec, nginx) as processes:
        if number is signal.SIGSTOP:
            with nginx.halts.during(processes):
                whole = cue.wait(spec.resume_after_s)
            end = "" if whole else ", resumed early: the load had ended"
            return Done(ok=whole, detail=f"{_processes(len(processes))} stopped{end}")
        for send in processes.values():
            send(number)
        return Done(ok=True, detail=f"{number.name} to {_processes(len(processes))}")


@contextmanager
def _reached(spec: SignalNginx, nginx: NginxServer) -> Iterator[dict[int, Send]]:
    """Signalling functions of the processes, by id. Their pidfds are held, so that a reused id is never hit."""
    with ExitStack() as held:
        senders: dict[int, Send] = {}
        for pid in _pids(spec, nginx):
            if pid == nginx.master:
                senders[pid] = nginx.signal
            else:
                descriptor = os.pidfd_open(pid)
                held.callback(os.close, descriptor)
                senders[pid] = partial(signal.pidfd_send_signal, descriptor)
        nginx.check()
        if senders.keys() - {nginx.master, *nginx.workers()}:  # then a pidfd may belong to another process
            raise ActionError("a worker ended before it got the signal")
        yield senders


def _pids(spec: SignalNginx, nginx: NginxServer) -> list[int]:
    """Process ids as this host sees them, whatever their namespace."""
    workers = nginx.workers()
    match spec.to:
        case "master":
            return [nginx.master]
        case "all":
            return [nginx.master, *workers]
        case "worker" if spec.worker >= len(workers):
            raise ActionError(f"there is no worker {spec.worker}: nginx has {len(workers)} workers, counted from 0")
        case "worker":
            return [workers[spec.worker]]
    if not workers:
        raise ActionError("nginx has no workers")
    return workers


def _processes(count: int) -> str:
    return f"{count} process{'es' if count > 1 else ''}"


COMPUTING = 'n=$1; while [ "$n" -gt 1 ]; do (while :; do :; done) & n=$((n - 1)); done; while :; do :; done'
WATCH_S = 0.1


def _press(child: Child, cue: Cue) -> Done:
    """Put pressure on the host for an interval. The child is gated until it begins, and killed at its end: so there is
    one interval only."""
    child.release()
    try:
        while (left_us := cue.ends_us - monotonic_us()) > 0 and cue.wait(min(WATCH_S, left_us / 1e6)):
            if child.wait(0) is not None:
                raise ActionError(child.stderr_text() or "the process ended by itself and printed no reason")
        return Done(ok=True, detail=_written(child.pid))
    finally:
        child.kill()


def _computing(spec: CpuPressure, folder: Path) -> Command:
    argv = ("/bin/sh", "-c", COMPUTING, "cpu-pressure", str(spec.processes))
    return Command(argv, folder, folder / "out", folder / "err", gated=True)


def _writing(spec: DiskPressure, folder: Path, writers: int) -> Command:
    """``writers``: how many of them share this disk. The program is passed as text, since its user may not be able to
    read its file."""
    python, home = Path(sys.executable).resolve(), Path(sys.base_prefix)
    arguments = (str(folder / "pressure"), str(spec.bytes_per_s), str(writers))
    return Command(
        argv=(str(python), "-I", "-S", "-c", inspect.getsource(disk_writer), *arguments),
        folder=folder,
        stdout=folder / "out",
        stderr=folder / "err",
        gated=True,
        read_only=() if home.is_relative_to("/usr") else (home,),
        max_file_bytes=disk_writer.LARGEST_FILE,
    )


def _written(pid: int) -> str:
    """The amount that a process has written so far, in words; empty where it is unknown or less than 1 MiB."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError:
        return ""
    size = next((int(line.split()[1]) for line in lines if line.startswith("wchar:")), 0)
    return f"{size >> 20} MiB written" if size >> 20 else ""
