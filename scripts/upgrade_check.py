"""``make upgrade-check``: what this version does to the installation of this machine, before ``make up`` does it.

Its data are backed up, restored into a database of their own, migrated and judged there. Nothing of the installation is
changed, whose services may run meanwhile, and be of an earlier version.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.console import Failure, main_guard, step
from scripts.stack import backend, credentials, postgres, settings
from scripts.stack.services import backend_environment
from scripts.stack.settings import Settings


def check(loaded: Settings, file: Path | None, *, every: bool) -> int:
    """0 where nothing will change, 1 where something will, which is said. ``file``: a backup in place of a new one."""
    if not credentials.path_of(loaded).is_file():
        raise Failure(f"there is no installation in {loaded.data}", "name its data folder by NGXLAB_DATA_DIR")
    environment = backend_environment(loaded, credentials.ensure(loaded))
    with _backup(loaded, environment, file) as made, postgres.throwaway(loaded) as url:
        asked = ["upgrade-check", *(["--all"] if every else []), str(made)]
        return backend.server_status(loaded, environment | backend.of_database(url), *asked)


@contextmanager
def _backup(loaded: Settings, environment: dict[str, str], file: Path | None) -> Iterator[Path]:
    if file is not None:
        yield file
        return
    made = loaded.run / "upgrade-check.backup"
    try:
        with step("A backup of the data, as they are"):
            backend.server_command(loaded, environment, "backup", "--unnoted", str(made))
        yield made
    finally:
        made.unlink(missing_ok=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make upgrade-check", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="a backup, in place of one that is made now")
    parser.add_argument("--all", action="store_true", help="judge all runs, and not the newest only")
    options = parser.parse_args()
    return check(settings.load(), options.file, every=options.all)


if __name__ == "__main__":
    sys.exit(main_guard(main))
