"""A trial without the product: nginx with the trial's configuration and wrk with its command, nothing else."""

import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import WrkPrint
from ngxlab_contracts.trials import NginxSpec
from ngxlab_worker.engines import Target
from ngxlab_worker.engines.wrk.command import wrk_command
from ngxlab_worker.engines.wrk.report import parse_report
from ngxlab_worker.nginx.ports import free_ports
from ngxlab_worker.sandbox.identity import RunAs, hand_over

from scripts.bench.results import NotMeasuredError
from scripts.stack.accounts import demoted
from scripts.stack.waiting import wait_healthy

LOCAL = "127.0.0.1"
READY_PATIENCE_S = 10
STOP_PATIENCE_S = 5
SPARE_S = 30
"""How much longer than its duration wrk may take."""


@dataclass(frozen=True)
class BareTrial:
    """``config`` is the nginx.conf that a trial has stored, ``load_s`` its warm-up plus its measured window.

    nginx and wrk are pinned where the product pins them: the trial's spec says so. Each has a session of its own, as
    in the product: the kernel shares CPU time among sessions first (sched(7), autogroups).
    """

    nginx: NginxSpec
    config: str
    stream: StreamSpec
    load_s: int
    run_as: RunAs | None
    root: Path

    def run(self) -> WrkPrint:
        """Start nginx, run wrk against it, and return what wrk prints. Raises :class:`NotMeasuredError`."""
        self.root.mkdir(exist_ok=True)
        self.root.chmod(0o711)
        folder = Path(mkdtemp(dir=self.root))
        try:
            hand_over(folder, self.run_as)
            (folder / "temp").mkdir()
            hand_over(folder / "temp", self.run_as)
            port, config = relocated(self.config, folder)
            (folder / "nginx.conf").write_text(config)
            (folder / "nginx.conf").chmod(0o644)
            with self._nginx(folder, port):
                return self.load(port)
        finally:
            shutil.rmtree(folder)

    @contextmanager
    def _nginx(self, folder: Path, port: int) -> Iterator[None]:
        error_log = folder / "error.log"
        command = [self.nginx.binary, "-p", f"{folder}/", "-c", str(folder / "nginx.conf"), "-e", str(error_log)]
        with subprocess.Popen(
            [*self._prefix(self.nginx.cpus), *command], stdin=subprocess.DEVNULL, start_new_session=True
        ) as nginx:
            try:
                complaint = wait_healthy(lambda: _connect_complaint(port), READY_PATIENCE_S)
                if complaint is not None:
                    raise NotMeasuredError(f"bare nginx does not answer: {complaint}")
                yield
            finally:
                nginx.send_signal(signal.SIGQUIT)
                try:
                    nginx.wait(STOP_PATIENCE_S)
                except subprocess.TimeoutExpired:
                    nginx.terminate()  # the fast shutdown, which ends the workers too

    def load(self, port: int) -> WrkPrint:
        """Run wrk against an nginx that is already running. Raises :class:`NotMeasuredError`."""
        command = wrk_command(self.stream, Target(LOCAL, (port,)), self.load_s)
        patience_s = self.load_s + SPARE_S
        done = subprocess.run(
            [*self._prefix(self.stream.cpus), *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=patience_s,
            start_new_session=True,
        )
        printed = parse_report(done.stdout)
        if printed is None:
            raise NotMeasuredError(f"bare wrk gave no report ({done.returncode}): {done.stdout}{done.stderr}")
        return printed

    def _prefix(self, cpus: str | None) -> list[str]:
        pinned = [] if cpus is None else ["taskset", "--cpu-list", cpus]
        return pinned if self.run_as is None else [*pinned, *demoted(self.run_as.name)]


def relocated(config: str, folder: Path) -> tuple[int, str]:
    """A trial's nginx.conf moved to another folder and to free ports: the port under load, and the text.

    The product writes the status server first and the server under load second.
    """
    old_folder = re.search(r"^pid (\S+)/[^/]+;$", config, re.MULTILINE)
    listeners = re.findall(rf"listen {re.escape(LOCAL)}:(\d+)", config)
    if old_folder is None or len(listeners) != 2:
        raise NotMeasuredError("the stored nginx.conf does not have the form in which the product writes it")
    fresh = free_ports(2)
    text = config.replace(old_folder[1], str(folder))
    for old, new in zip(listeners, fresh, strict=True):
        text = text.replace(f"{LOCAL}:{old}", f"{LOCAL}:{new}")
    return fresh[1], text


def _connect_complaint(port: int) -> str | None:
    try:
        socket.create_connection((LOCAL, port), timeout=1).close()
    except OSError as error:
        return str(error)
    return None
