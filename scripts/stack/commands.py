"""What each order does. ``backup`` works while the stack runs; for ``restore``, its own services stop in between."""

import errno
import fcntl
import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ngxlab.core.disk import full_disk
from ngxlab_contracts.broker import without_user

from scripts.console import Failure, say, step
from scripts.stack import backend, front, health, postgres, redis
from scripts.stack import credentials as credential_store
from scripts.stack.credentials import Credentials
from scripts.stack.processes import end, living
from scripts.stack.services import Service, all_services, backend_environment, migration_environment
from scripts.stack.settings import Settings
from scripts.stack.supervisor import RUNNING, ProcessInfo, Supervisor, up_s
from scripts.stack.waiting import wait_healthy


def require_free(address: str, port: int, setting: str) -> None:
    """Raise :class:`Failure` that names the port, its setting and, where visible, the process that uses it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise Failure(
                    f"cannot listen on {address} port {port}: {error.strerror}", f"change {setting}, e.g. in .env"
                ) from error
            raise Failure(
                f"port {port} is already in use{_owner_of(port)}",
                f"stop that process, or set {setting} to a free port, e.g. in .env",
            ) from error


def _owner_of(port: int) -> str:
    """`` by name (pid N)`` of the process that listens on ``port``; empty where this user cannot see it."""
    asked = ["ss", "--no-header", "--listening", "--tcp", "--numeric", "--processes", f"sport = :{port}"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    except OSError:  # without iproute2
        return ""
    found = re.search(r'\(\("([^"]+)",pid=(\d+)', said)
    return f" by {found[1]} (pid {found[2]})" if found else ""


PATIENCE_S = 60
_BY_NEWER = "which a newer version of ngxlab made"  # as /readyz says
END_PATIENCE_S = 15
_END_TOGETHER = ({"agent"}, {"coordinator", "jobs"}, {"front", "backend"}, {"redis", "postgres"})
"""One group after the other: each needs those that follow for its own end."""


@dataclass(frozen=True)
class Started:
    """``first_password`` is that of the first administrator, where this start has made it."""

    environment: dict[str, str]
    first_password: str | None


def up(settings: Settings) -> int:
    bring_up(settings)
    say(f"ngxlab is up: {public_url(settings)}   (sign in as {settings.administrator}; make status, make down)")
    return 0


def bring_up(settings: Settings) -> Started:
    """Start services that are stopped, restart those whose code or settings changed, leave the others running."""
    with _locked(settings):
        if full := full_disk(settings.data):
            raise Failure(full, "then run make up again")
        credentials = credential_store.ensure(settings)
        services = all_services(settings, credentials)
        supervisor = Supervisor(settings)
        if supervisor.process() is None:
            _end_leftovers(settings)
        _require_ports(settings, supervisor, services)
        return _start(settings, credentials, services, supervisor)


def down(settings: Settings) -> int:
    """Stop all services of this data folder in reverse order. Data stay."""
    if not settings.run.is_dir():
        say("Nothing runs.")
        return 0
    with _locked(settings):
        supervisor = Supervisor(settings)
        for kinds in _END_TOGETHER:
            supervisor.stop(*(name for name in supervisor.processes() if name.partition("-")[0] in kinds))
        supervisor.shut_down()
        _end_leftovers(settings)
    say("Stopped. Data are kept in " + str(settings.data))
    return 0


def status(settings: Settings) -> int:
    """Print a table of services. Returns 1 where one of them is not healthy."""
    if not credential_store.path_of(settings).is_file():
        say(f"Nothing has been started here yet (data folder {settings.data}). Start with: make up")
        return 1
    credentials = credential_store.ensure(settings)
    services = all_services(settings, credentials)
    rows = health.survey(settings, credentials, services, Supervisor(settings).processes())
    width = max(len(row.address) for row in rows)
    say(f"{'service':<12} {'address':<{width}} {'pid':>7} {'up':>8}  health")
    for row in rows:
        up_for = "-" if row.up_s is None else _duration(row.up_s)
        say(f"{row.name:<12} {row.address:<{width}} {row.pid or '-':>7} {up_for:>8}  {row.complaint or 'healthy'}")
    ready = backend.readiness(settings)
    if ready.get("rehearsal_of"):
        say("This is a rehearsal with a restored backup: no runs, no schedules, no messages. make resume ends it.")
    if loops := ready.get("loops"):
        say("last round: " + ", ".join(f"{name} {age_s:.1f} s ago" for name, age_s in loops.items()))
    say(f"data: {settings.data}   address: {public_url(settings)}")
    if full := full_disk(settings.data):
        say(full)
    return 1 if full or any(row.complaint for row in rows) else 0


def access(settings: Settings) -> int:
    """Print where what runs here is reached, and the token of the stack's tools, for ``ngxlab`` on this machine.

    Returns 1 where nothing answers. The token is empty where what answers is not of this data folder, or where this
    user may not read it: it goes to nobody else's server.
    """
    if backend.front_complaint(settings) is not None:
        return 1
    token = ""
    with suppress(PermissionError):
        if Supervisor(settings).process() is not None:
            token = backend.own_token(settings)
    say(json.dumps({"url": settings.url.replace("127.0.0.1", "localhost"), "token": token}))
    return 0


def admin(settings: Settings, email: str) -> int:
    """Create another administrator and print a one-time password, e.g. where the first one's is lost."""
    environment = backend_environment(settings, credential_store.ensure(settings))
    password = backend.server_command(settings, environment, "create-admin", "--email", email)
    say(f"Administrator {email}, password: {password}    (shown only now, to be replaced within three days)")
    return 0


def logs(settings: Settings, *, follow: bool, service: str | None) -> int:
    """Show the last lines of all logs or of one, and new ones with ``follow``. Replaces this process by tail(1)."""
    files = sorted(settings.logs.glob(f"{service or '*'}.log"))
    if not files:
        known = ", ".join(sorted(path.stem for path in settings.logs.glob("*.log"))) or "none yet"
        raise Failure(f"no log of {service or 'any service'} in {settings.logs}", f"there are: {known}")
    os.execvp("tail", ["tail", "-n", "50", *(["-F"] if follow else []), *map(str, files)])


def back_up(settings: Settings, file: Path, *, prove: bool) -> int:
    """Write a backup. The database must be running: ``make up``. ``prove``: restore it into a database of its own."""
    if not credential_store.path_of(settings).is_file():
        raise Failure(f"there is nothing to back up in {settings.data}", "start with: make up")
    environment = backend_environment(settings, credential_store.ensure(settings))
    say(backend.server_command(settings, environment, "backup", str(_named(file))))
    return _prove(settings, environment, file) if prove else 0


def _prove(settings: Settings, environment: dict[str, str], file: Path) -> int:
    """Restore a backup elsewhere, and note how that went, which the page *Storage* shows."""
    try:
        with step("Restoring it into a database of its own"), postgres.throwaway(settings) as url:
            backend.server_command(settings, environment | backend.of_database(url), "restore", str(file))
    except Failure as failure:
        backend.server_command(settings, environment, "backup-proven", "--trouble", str(failure), str(file))
        raise
    backend.server_command(settings, environment, "backup-proven", str(file))
    say("Proven: it can be restored, every table has all its rows, and the schema is brought up to date.")
    return 0


def resume(settings: Settings) -> int:
    """Say that a restored backup is the real installation."""
    say(backend.server_command(settings, backend_environment(settings, credential_store.ensure(settings)), "resume"))
    return 0


def restore(settings: Settings, file: Path, *, replace: bool, resume: bool) -> int:
    """Replace the database by a backup; everything runs afterwards, also where the backup was refused."""
    environment = migration_environment(settings, credential_store.ensure(settings))
    backend.server_command(settings, environment, "restore", "--check", str(_named(file)))
    bring_up(settings)
    supervisor = Supervisor(settings)
    try:
        with step(f"Restoring {file}"):
            supervisor.stop("agent")
            supervisor.stop("coordinator", "jobs", *front.processes(settings))
            how = [*(["--replace"] if replace else []), *(["--resume"] if resume else [])]
            say(backend.server_command(settings, environment, "restore", *how, str(file)))
    finally:
        bring_up(settings)
    return 0


def _named(file: Path) -> Path:
    if file.is_dir():
        raise Failure(f"{file} is a folder", "name a file: FILE=/path/of/ngxlab.backup")
    return file


def _start(settings: Settings, credentials: Credentials, services: list[Service], supervisor: Supervisor) -> Started:
    names = {service.name for service in services}
    if "postgres" in names:
        postgres.write_access_rules(settings)
    if "redis" in names:
        redis.write_config(settings, credentials.redis_password)
    front.prepare(settings)
    supervisor.apply(services)
    if "postgres" in names and not postgres.is_prepared(settings, credentials.postgres):
        with step("PostgreSQL cluster"):
            supervisor.stop("postgres")
            postgres.prepare(settings, credentials.postgres)
    _bring_up(settings, credentials, supervisor, "postgres")
    _bring_up(settings, credentials, supervisor, "redis")
    environment = backend_environment(settings, credentials)
    password = None
    if supervisor.processes()["backend"]["statename"] not in RUNNING:
        password = _prepare_database(settings, credentials)
    _bring_up(settings, credentials, supervisor, *front.processes(settings), "front", "jobs")
    backend.ensure_token(settings, environment)
    supervisor.start("coordinator")
    if backend.own_host(settings) is None:
        with step(f"Enrolling this machine ({socket.gethostname()})"):
            supervisor.stop("agent")
            backend.join_host(settings)
    elif backend.renew_broker_url(settings, without_user(environment["NGXLAB_AGENT_BROKER_URL"])):
        supervisor.stop("agent")
    _bring_up(settings, credentials, supervisor, "coordinator")
    _bring_up(settings, credentials, supervisor, "agent")
    return Started(environment, password)


def _bring_up(settings: Settings, credentials: Credentials, supervisor: Supervisor, *names: str) -> None:
    """Start services at the same time unless they run or are external, and wait until each is healthy."""
    questions, known = health.questions(settings, credentials), supervisor.processes()
    waited_for = [name for name in names if not _is_healthy(known.get(name), questions[name])]
    for name in waited_for:
        if name in known:
            supervisor.start(name)
    for name in waited_for:
        ours = name in known
        with step(f"{name.capitalize()}{'' if ours else ' (external)'}"):
            ask = partial(_ask, supervisor, name, questions[name])
            if (complaint := wait_healthy(ask, PATIENCE_S if ours else 0, lambda told: _BY_NEWER in told)) is not None:
                raise Failure(f"{name} is not healthy: {complaint}", _advice(settings, name, complaint, ours=ours))


def _is_healthy(info: ProcessInfo | None, question: health.Question) -> bool:
    return info is not None and info["statename"] == "RUNNING" and question(up_s(info)) is None


def _ask(supervisor: Supervisor, name: str, question: health.Question) -> str | None:
    return question(_up_s(supervisor, name))


def _up_s(supervisor: Supervisor, name: str) -> float | None:
    info = supervisor.processes().get(name)
    return None if info is None else up_s(info)


def _advice(settings: Settings, name: str, complaint: str, *, ours: bool) -> str:
    if _BY_NEWER in complaint:
        return "run make up in a checkout of that version, or restore a backup of this one: make restore"
    if ours:
        return f"its last lines are in {settings.logs}/{name}.log (make logs SERVICE={name}); then run make up again"
    return f"check {'DATABASE_URL' if name == 'postgres' else 'REDIS_URL'}, and that the server is running"


def _prepare_database(settings: Settings, credentials: Credentials) -> str | None:
    """Migrate the database. In an empty installation, create the first account and show its password once."""
    with step("Database"):
        password = backend.begin(settings, migration_environment(settings, credentials))
    if password is None:
        return None
    say(f"\n    First administrator: {settings.administrator}")
    say(f"    Password:            {password}    (shown only now)\n")
    return password


def _require_ports(settings: Settings, supervisor: Supervisor, services: list[Service]) -> None:
    """Raise :class:`Failure` where a service that is about to start needs a port that is taken."""
    infos = supervisor.processes()
    wanted = {
        "postgres": ("127.0.0.1", settings.postgres_port, "NGXLAB_POSTGRES_PORT"),
        "redis": ("127.0.0.1", settings.redis_port, "NGXLAB_REDIS_PORT"),
        "front": (settings.bind, settings.port, "NGXLAB_PORT"),
    }
    if "backend" in infos and "front" not in infos:  # an earlier version, whose backend ends before the front begins
        del wanted["front"]
    for service in services:
        info = infos.get(service.name)
        if service.name in wanted and (info is None or info["statename"] not in RUNNING):
            require_free(*wanted[service.name])


def _end_leftovers(settings: Settings) -> None:
    """End services that outlived a killed supervisord. The kernel has signalled them; some take longer."""
    for name, process in living(settings.run).items():
        if name != "supervisord":
            end([process], signal.SIGINT if name == "postgres" else signal.SIGTERM, END_PATIENCE_S)


@contextmanager
def _locked(settings: Settings) -> Iterator[None]:
    """Create the data folder, and let one command at a time work on it."""
    for folder, mode in (
        (settings.data, 0o755),
        (settings.run, 0o755),
        (settings.logs, 0o750),
        (settings.agent, 0o711),
    ):
        if not folder.is_dir():
            folder.mkdir(parents=True)
            folder.chmod(mode)  # whatever the umask: other users' services must pass through
    with (settings.run / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another make up or make down is using this data folder; waiting for it to finish.")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def public_url(settings: Settings) -> str:
    return settings.passed_on.get("NGXLAB_PUBLIC_URL", f"http://localhost:{settings.port}")


def _duration(seconds: int) -> str:
    if seconds < 3600:
        return f"{seconds // 60}m{seconds % 60:02d}s"
    return f"{seconds // 3600}h{seconds % 3600 // 60:02d}m"
