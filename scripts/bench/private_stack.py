"""A private stack in a temporary folder, on free ports, which is always removed afterwards."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ngxlab_worker.nginx.ports import free_ports

from scripts.bench.lab import Lab
from scripts.console import Failure
from scripts.stack import backend, commands
from scripts.stack import credentials as credential_store
from scripts.stack.processes import ProcessId
from scripts.stack.services import migration_environment
from scripts.stack.settings import Settings

PREFIX = "ngxlab-bench-"
OWNER_FILE = "bench.owner"


@contextmanager
def private_stack() -> Iterator[Lab]:
    """Start a stack, and at the end stop and remove it. Raises :class:`Failure` where it does not start.

    The folder names the process that it belongs to, so that the next benchmark finds and removes the stack of one
    that was killed.
    """
    _remove_orphans()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    folder.chmod(0o755)  # PostgreSQL, Redis, nginx and wrk are other users and must pass
    settings = _settings(folder)
    try:
        _myself().write(folder / OWNER_FILE)
        started = commands.bring_up(settings)
        host = backend.own_host(settings)
        if host is None:
            raise Failure("this machine is not among the hosts of the benchmark's stack")
        token = backend.tool_token(settings, started.environment, "bench")
        as_owner = migration_environment(settings, credential_store.ensure(settings))
        yield Lab(settings, as_owner, token, str(host.id))
    finally:
        _remove(settings)


def _settings(folder: Path) -> Settings:
    port, postgres_port, redis_port = free_ports(3)
    # Only the user of the load is the caller's setting: others would make results depend on a .env file.
    run_as = os.environ.get("NGXLAB_RUN_AS")
    return Settings(
        data=folder,
        bind="127.0.0.1",
        port=port,
        postgres_port=postgres_port,
        redis_port=redis_port,
        database_url=None,
        redis_url=None,
        administrator="bench@localhost",
        passed_on={"NGXLAB_RUN_AS": run_as} if run_as else {},
    )


def _remove(settings: Settings) -> None:
    commands.down(settings)
    shutil.rmtree(settings.data)


def _remove_orphans() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(PermissionError):  # another user's
            owner = ProcessId.read(folder / OWNER_FILE)
            if owner is not None and not owner.alive():
                _remove(_settings(folder))


def _myself() -> ProcessId:
    process = ProcessId.of(os.getpid())
    assert process is not None
    return process
