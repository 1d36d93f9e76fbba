"""The users that services run as. Without root, everything runs as the caller."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from scripts.console import Failure
from scripts.paths import BIN
from scripts.setup.users import SERVER_USER, exists


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
    if os.geteuid() != 0:
        return None
    asked = [*demoted(SERVER_USER), "test", "-x", str(BIN / "python"), "-a", "-r", str(BIN / "ngxlab-server")]
    reachable = subprocess.run(asked, check=False, cwd="/").returncode == 0
    return SERVER_USER if reachable else None
