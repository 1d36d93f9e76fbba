"""The users that services run as. Without root, everything runs as the caller."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from scripts.console import Failure
from scripts.paths import BIN, FRONTEND
from scripts.setup.users import FRONT_USER, SERVER_USER, exists


def chown_tree(path: Path, user: str) -> None:
    """Give ``path`` (a file, or an empty folder) to ``user`` where we are root."""
    if os.geteuid() == 0:
        shutil.chown(path, user, pwd.getpwnam(user).pw_gid)


def demoted(user: str) -> list[str]:
    """Command prefix that runs what follows as ``user`` where we are root."""
    if os.geteuid() != 0:
        return []
    if not exists(user):
        raise Failure(f"the system user {user} is missing", "run make setup as root")
    return ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--init-groups"]


def server_user() -> str | None:
    """The user for backend and coordinator: unprivileged, unless it cannot read this checkout (e.g. under /root)."""
    reads = ["test", "-x", str(BIN / "python"), "-a", "-r", str(BIN / "ngxlab-server")]
    return SERVER_USER if _can(SERVER_USER, reads) else None


def front_user() -> str | None:
    """The user for nginx in front, likewise."""
    return FRONT_USER if server_user() and _can(FRONT_USER, ["test", "-r", str(FRONTEND / "package.json")]) else None


def _can(user: str, order: list[str]) -> bool:
    """Whether we are root and ``order`` succeeds as ``user``."""
    return os.geteuid() == 0 and subprocess.run([*demoted(user), *order], check=False, cwd="/").returncode == 0
