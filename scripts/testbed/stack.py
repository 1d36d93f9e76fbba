"""A private installation: the stack that ``make up`` starts, in a temporary folder, on free ports."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ngxlab_worker.nginx.ports import free_ports

from scripts.console import check, run
from scripts.paths import BIN, ROOT
from scripts.stack.postgres import APP
from scripts.stack.processes import ProcessId, living, wait_gone
from scripts.stack.redis import BACKEND_USER
from scripts.stack.settings import parse_env_file
from scripts.stack.waiting import wait_for, wait_until

_ENDS_WITHIN_S = 20


@dataclass(frozen=True)
class Stack:
    url: str
    data: Path
    environment: dict[str, str]
    admin_email: str
    admin_password: str

    @property
    def token(self) -> str:
        return parse_env_file(self.data / "secrets.env")["NGXLAB_STACK_TOKEN"]

    def api(self, method: str, path: str, body: object = None) -> Any:
        """Call the REST API with the operator's token. Raises ``HTTPError`` with the answer's text."""
        text = self._asked(method, path, None if body is None else json.dumps(body).encode(), timeout_s=20)
        return json.loads(text) if text else None

    def file(self, path: str) -> bytes:
        """What the API gives as a file, which may take it long to make. Raises ``HTTPError`` likewise."""
        return self._asked("GET", path, None, timeout_s=120)

    def _asked(self, method: str, path: str, payload: bytes | None, *, timeout_s: float) -> bytes:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api/v1{path}", payload, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            error.msg += f": {error.read().decode(errors='replace')[:1000]}"
            raise

    def database_url(self) -> str:
        """The private PostgreSQL itself, past any link of a test's."""
        password = parse_env_file(self.data / "secrets.env")["POSTGRES_PASSWORD"]
        return f"postgresql://{APP}:{password}@127.0.0.1:{self.environment['NGXLAB_POSTGRES_PORT']}/ngxlab"

    def redis_url(self) -> str:
        """The private Redis itself, past any link of a test's."""
        password = parse_env_file(self.data / "secrets.env")["REDIS_PASSWORD"]
        return f"redis://{BACKEND_USER}:{password}@127.0.0.1:{self.environment['NGXLAB_REDIS_PORT']}/0"

    def answers(self) -> bool:
        try:
            self.api("GET", "/runs")
        except OSError:
            return False
        return True

    def host_id(self) -> str:
        found: str = self.api("GET", "/hosts")["items"][0]["id"]
        return found

    def start_run(self, template: str = "reuseport", host_id: str | None = None, /, **parameters: object) -> str:
        """Queue a run of a template on this machine, or on another host; its id."""
        where = {"host_id": host_id or self.host_id()}
        run_id: str = self.api("POST", f"/experiments/{self.experiment(template, **parameters)}/runs", where)["id"]
        return run_id

    def experiment(self, template: str = "reuseport", /, **parameters: object) -> str:
        """Make an experiment from a template; its id."""
        body = {"name": "End to end", "template_key": template, "parameters": parameters}
        made: str = self.api("POST", "/experiments", body)["id"]
        return made

    def run(self, run_id: str) -> Any:
        return self.api("GET", f"/runs/{run_id}")

    def trial_in(self, run_id: str, state: str) -> str:
        """Wait until a trial of the run is in ``state``; its id."""

        def look() -> str | None:
            return next((trial["id"] for trial in self.run(run_id)["trials"] if trial["state"] == state), None)

        return wait_for(look, f"a trial {state}", seconds=30)

    def idle_host(self, name: str | None = None, seconds: float = 60) -> str:
        """Wait until a host, any or the one of this name, is idle; its id."""

        def look() -> str | None:
            hosts = [host for host in self.api("GET", "/hosts")["items"] if name in {None, host["name"]}]
            return next((host["id"] for host in hosts if host["state"] == "idle"), None)

        return wait_for(look, f"an idle host {name or ''}", seconds)

    def wait_for_end(self, run_id: str, seconds: float = 120) -> Any:
        wait_until(lambda: self.run(run_id)["finished_at"] is not None, "the run's end", seconds)
        return self.run(run_id)

    def completed(self, run_id: str, seconds: float) -> Any:
        """Wait until the run is over; its detail. Raises :class:`Failure` where it is over otherwise."""
        ended = self.wait_for_end(run_id, seconds)
        check(ended["state"] == "completed", f"the run is {ended['state']}: {ended['state_reason']}")
        return ended

    def kill(self, service: str) -> None:
        process = ProcessId.read(self.data / "run" / f"{service}.pid")
        assert process is not None
        process.send(signal.SIGKILL)

    def supervise(self, *words: str) -> None:
        """``supervisorctl WORDS``, e.g. ``start agent``; ``update`` applies a changed configuration."""
        address = f"unix://{self.data}/run/supervisor.sock"
        subprocess.run([BIN / "supervisorctl", "-s", address, *words], check=True, stdout=subprocess.DEVNULL)

    def reconfigure(self, config: str, services: Iterable[str]) -> None:
        """Restart ``services`` with another configuration of supervisord, and wait until the host is idle."""
        (self.data / "run" / "supervisord.conf").write_text(config)
        self.supervise("update")  # stops what has changed
        self.supervise("start", *services)
        wait_until(self.answers, "an answer of the backend", 60)
        self.idle_host()

    def processes_of_trial(self, trial_id: str) -> list[str]:
        """Processes that belong to a trial: by command line, working directory, or what is mounted for them."""
        mark = str(self.data / "agent" / "trials" / trial_id)
        return [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit() and _mentions(entry, mark)]

    def trial_folder(self, trial_id: str) -> Path:
        return self.data / "agent" / "trials" / trial_id


def _mentions(process: Path, mark: str) -> bool:
    try:
        if mark in (process / "cmdline").read_text(errors="replace") or mark in str((process / "cwd").readlink()):
            return True
        return mark in (process / "mountinfo").read_text(errors="replace")
    except OSError:
        return False  # it has ended meanwhile, or belongs to another user


def order(code: Path, environment: Mapping[str, str], *words: str) -> str:
    """``python -m scripts.stack WORDS`` of the checkout ``code``; what it prints. Raises :class:`Failure`."""
    stack: list[str | Path] = [code / ".venv" / "bin" / "python", "-m", "scripts.stack", *words]
    return run(stack, cwd=code, env=environment, hint="see the message above")


@contextmanager
def unstarted_stack(bind: str = "127.0.0.1", **more: str) -> Iterator[Stack]:
    """A data folder, which is removed afterwards, and settings of a stack that nobody has started yet.

    ``bind``: the address at which other hosts reach it. ``more``: settings by name; ``NGXLAB_PORT`` for somebody who
    must know the port beforehand.
    """
    parent = Path(tempfile.mkdtemp(prefix="nl-e2e-", dir="/tmp"))
    parent.chmod(0o711)  # PostgreSQL's user must be able to pass through
    free, postgres_port, redis_port = map(str, free_ports(3, "127.0.0.1", bind))
    port = more.get("NGXLAB_PORT", free)
    settings = {"NGXLAB_PORT": port, "NGXLAB_POSTGRES_PORT": postgres_port, "NGXLAB_REDIS_PORT": redis_port}
    settings |= {"NGXLAB_DATA_DIR": str(parent / "data"), "NGXLAB_PUBLIC_URL": f"http://{bind}:{port}"}
    settings["NGXLAB_BIND"] = bind
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("NGXLAB_", "DATABASE_URL", "REDIS_URL"))}
    try:
        yield Stack(f"http://{bind}:{port}", parent / "data", inherited | settings | more, "admin@localhost", "")
    finally:
        shutil.rmtree(parent, ignore_errors=True)


@contextmanager
def running_stack(bind: str = "127.0.0.1", **more: str) -> Iterator[Stack]:
    """Start a stack of this checkout as :func:`unstarted_stack` prepares it, and remove it afterwards."""
    with unstarted_stack(bind, **more) as stack:
        try:
            output = order(ROOT, stack.environment, "up")
            password = next(line.split()[1] for line in output.splitlines() if line.strip().startswith("Password:"))
            yield replace(stack, admin_password=password)
        finally:
            _end(stack)


def _end(stack: Stack) -> None:
    """As after the kill of its supervisord, which takes all services along; ``make down`` ends one after the other."""
    running = living(stack.data / "run")
    if "supervisord" in running:
        running["supervisord"].send(signal.SIGKILL)
    if not wait_gone(running.values(), _ENDS_WITHIN_S):
        order(ROOT, stack.environment, "down")


@contextmanager
def registered(stack: Stack, binary: Path) -> Iterator[None]:
    """Beside the system's nginx, until the end."""
    caps = stack.data / "agent" / "caps.toml"
    before = caps.read_text()
    caps.write_text(f'{before}\nnginx = ["{binary}"]\n')
    stack.supervise("restart", "agent")
    wait_until(
        lambda: len(stack.api("GET", "/hosts")["items"][0]["nginx"]) == 2, "the second build being registered", 60
    )
    stack.idle_host()
    try:
        yield
    finally:
        caps.write_text(before)
        stack.supervise("restart", "agent")
