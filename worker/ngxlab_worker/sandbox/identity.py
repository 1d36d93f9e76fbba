"""Whom nginx and the load generators run as."""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path

DEFAULT_USER = "ngxlab"


@dataclass(frozen=True)
class RunAs:
    """An unprivileged system user."""

    name: str
    uid: int
    gid: int


def resolve_run_as(user: str | None = None) -> RunAs | None:
    """The user that children drop to, or ``None`` where the agent itself is unprivileged and cannot change user.

    Raises ``LookupError`` with the remedy where the agent is root and the user is missing or is root again.
    """
    if os.geteuid() != 0:
        return None
    name = user or DEFAULT_USER
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise LookupError(
            f"the agent runs as root and needs the unprivileged user {name!r}, which does not exist: "
            f"create it (useradd --system {name}) or name another one in NGXLAB_RUN_AS"
        ) from None
    if entry.pw_uid == 0:
        raise LookupError(f"NGXLAB_RUN_AS={name} is root: nginx and wrk must run unprivileged")
    return RunAs(name, entry.pw_uid, entry.pw_gid)


def hand_over(path: Path, run_as: RunAs | None) -> None:
    """Make ``path`` the children's own, private to them (mode 0700)."""
    path.chmod(0o700)
    if run_as is not None:
        os.chown(path, run_as.uid, run_as.gid)
