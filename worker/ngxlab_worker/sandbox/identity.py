"""The user that nginx and the load generators run as."""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from ngxlab_worker.core.files import open_regular

DEFAULT_USER = "ngxlab"


@dataclass(frozen=True)
class RunAs:
    name: str
    uid: int
    gid: int


def resolve_run_as(user: str | None = None) -> RunAs | None:
    """The user that children run as, or ``None`` where the agent itself is unprivileged and cannot change the user.

    Raises ``LookupError``, with a remedy, where the agent is root and that user does not exist or is root too.
    """
    if os.geteuid() != 0:
        return None
    name = user or DEFAULT_USER
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise LookupError(
            f"the agent runs as root and needs the unprivileged user {name!r}, which does not exist: "
            f"create it (useradd --system {name}), or set NGXLAB_RUN_AS to another user"
        ) from None
    if entry.pw_uid == 0:
        raise LookupError(
            f"NGXLAB_RUN_AS={name} is root: set it to an unprivileged user, whom nginx and load generators run as"
        )
    return RunAs(name, entry.pw_uid, entry.pw_gid)


def lend(folder: Path, run_as: RunAs | None) -> None:
    """Let the user that children run as create files in ``folder`` (mode 1770), but neither remove nor replace those
    that this process creates there. Where both are the same user, there is nothing to keep apart."""
    if run_as is None:
        folder.chmod(0o700)
    else:
        os.chown(folder, -1, run_as.gid)
        folder.chmod(0o1770)


def make_log(path: Path, run_as: RunAs | None) -> None:
    """An empty file that children may write to, in a folder lent to them."""
    os.close(open_regular(path, os.O_WRONLY | os.O_CREAT))
    if run_as is not None:
        os.chown(path, -1, run_as.gid)
        path.chmod(0o660)


def hand_over(path: Path, run_as: RunAs | None) -> None:
    """Give ``path`` to the user that children run as, and to nobody else (mode 0700)."""
    path.chmod(0o700)
    if run_as is not None:
        os.chown(path, run_as.uid, run_as.gid)
