"""System users without a login, so that as root nothing that takes traffic runs as root."""

import os
import pwd

from scripts.console import run, step

LOAD_USER = "ngxlab"
"""Runs the nginx and the load generators under test."""

SERVER_USER = "ngxlab-server"
"""Runs the backend and the coordinator: apart from the load, whose scripts must not reach their memory."""


def ensure_users() -> None:
    """Create both users where they are missing. Without root, everything runs as the caller instead."""
    if os.geteuid() != 0:
        return
    missing = [name for name in (LOAD_USER, SERVER_USER) if not exists(name)]
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
    """Whether the system knows a user of this name."""
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
