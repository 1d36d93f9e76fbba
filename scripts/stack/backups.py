"""``backup`` while the stack runs, and ``restore``, for which its own services stop in between."""

from pathlib import Path

from scripts.console import Failure, say, step
from scripts.stack import backend, commands, front
from scripts.stack import credentials as credential_store
from scripts.stack.services import backend_environment, migration_environment
from scripts.stack.settings import Settings
from scripts.stack.supervisor import Supervisor


def back_up(settings: Settings, file: Path) -> int:
    """Write a backup. The database must be running: ``make up``."""
    if not credential_store.path_of(settings).is_file():
        raise Failure(f"there is nothing to back up in {settings.data}", "start with: make up")
    environment = backend_environment(settings, credential_store.ensure(settings))
    say(backend.server_command(settings, environment, "backup", str(_named(file))))
    return 0


def restore(settings: Settings, file: Path, *, replace: bool) -> int:
    """Replace the database by a backup; everything runs afterwards, also where the backup was refused."""
    environment = migration_environment(settings, credential_store.ensure(settings))
    backend.server_command(settings, environment, "restore", "--check", str(_named(file)))
    commands.bring_up(settings)
    supervisor = Supervisor(settings)
    try:
        with step(f"Restoring {file}"):
            for name in ("agent", "coordinator", "jobs", *front.processes(settings)):
                supervisor.stop(name)
            how = ["--replace"] if replace else []
            say(backend.server_command(settings, environment, "restore", *how, str(file)))
    finally:
        commands.bring_up(settings)
    return 0


def _named(file: Path) -> Path:
    if file.is_dir():
        raise Failure(f"{file} is a folder", "name a file: FILE=/path/of/ngxlab.backup")
    return file
