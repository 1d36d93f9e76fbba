"""System users without a login, so that nothing that handles traffic runs as root."""

import os
import pwd

from scripts.console import run, step

LOAD_USER = "ngxlab"
"""Runs nginx and the load generators."""

SERVER_USER = "ngxlab-server"
"""Runs the backend and the coordinator. A user of its own: scripts of the load must not reach their memory."""

FRONT_USER = "ngxlab-front"
"""Runs the nginx in front, which is what strangers talk to."""


def ensure_users() -> None:
    """Create missing users. Without root there are none: everything runs as the caller."""
    if os.geteuid() != 0:
        return
    missing = [name for name in (LOAD_USER, SERVER_USER, FRONT_USER) if not exists(name)]
    if not missing:
        return
    with step(f"System users: {' '.join(missing)}"):
        for name in missing:
            run(
                ["useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent",
                 "--shell", "/usr/sbin/nologin", name],
                hint=f"create a system user named {name} by hand, then run the same command again",
            )  # fmt: skip


def exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
