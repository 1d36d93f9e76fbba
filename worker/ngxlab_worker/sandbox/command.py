"""What to run in a sandbox."""

import resource
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ngxlab_worker.confinement import Confinement, Fence
from ngxlab_worker.sandbox import wall
from ngxlab_worker.sandbox.identity import RunAs


@dataclass(frozen=True)
class Command:
    """What to run. ``folder`` is its working directory and the only place it may write (besides its own /tmp).

    ``gated``: everything is set up, but the program starts only at :meth:`Child.release`, within a millisecond.
    ``brief``: it may end before its process is seen, with any exit code.
    ``cpus``: the CPUs it may use, in the kernel's list format. ``distrusted``: a namespaced child may write only to a
    small /tmp of its own, and is not started where its ``fence``, all that it can reach, cannot be made.
    ``descriptors``: ours, passed on under the same numbers.
    """

    argv: tuple[str, ...]
    folder: Path
    stdout: Path
    stderr: Path
    gated: bool = False
    brief: bool = False
    read_only: tuple[Path, ...] = ()
    max_file_bytes: int | None = None
    cpus: str | None = None
    distrusted: bool = False
    fence: Fence | None = None
    descriptors: tuple[int, ...] = ()
    seccomp: int | None = None


SMALL_TMP = str(16 << 20)
MOST_PROCESSES = 4096
"""Bounds the processes of the children's user: enough for a trial, and a limit to a fork bomb."""


def limits(command: Command, confinement: Confinement | None) -> list[str]:
    """As many descriptors as the host allows, no core dumps (gigabytes of nginx's memory), and the owner's caps."""
    _, descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)
    limits = {"nofile": descriptors, "core": 0}
    if confinement is not None:
        limits |= confinement.limits()
    if command.max_file_bytes is not None:
        limits["fsize"] = min(command.max_file_bytes, limits.get("fsize", command.max_file_bytes))
    if command.distrusted:
        limits["nproc"] = min(MOST_PROCESSES, limits.get("nproc", MOST_PROCESSES))
    return ["prlimit", *(f"--{name}={value}:{value}" for name, value in limits.items())]


def placement(command: Command) -> list[str]:
    """The first part of the command line, so that it applies as soon as there is a process."""
    return [] if command.cpus is None else ["taskset", "--cpu-list", command.cpus]


def drop(run_as: RunAs | None) -> list[str]:
    arguments = ["setpriv", "--no-new-privs", "--inh-caps=-all"]
    if run_as is not None:
        arguments += ["--reuid", str(run_as.uid), "--regid", str(run_as.gid), "--clear-groups"]
    return arguments


def bubblewrap(command: Command, etc: Mapping[str, int]) -> list[str]:
    """There is no /proc inside: nothing needs it, and container engines often forbid to mount it.

    ``etc``: the files made for the child, each with the descriptor that holds its content.
    """
    folder = str(command.folder)
    arguments = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    arguments += ["--die-with-parent", "--new-session", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib64"):
        arguments += ["--symlink", f"usr/{name}", f"/{name}"]
    arguments += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--dev", "/dev"]
    for name, descriptor in etc.items():
        arguments += ["--perms", "0444", "--ro-bind-data", str(descriptor), name]
    arguments += ["--remount-ro", "/dev"]  # /dev/shm is in it: a place to write that no cap of the owner counts
    arguments += ["--size", SMALL_TMP, "--tmpfs", "/tmp"]  # noqa: S108 — the child's own, empty /tmp
    program = Path(command.argv[0])
    own = () if program.is_relative_to("/usr") else (program,)
    for path in (*own, *command.read_only):
        arguments += ["--ro-bind", str(path), str(path)]
    binding = ["--ro-bind", folder, folder, "--remount-ro", "/"] if command.distrusted else ["--bind", folder, folder]
    seccomp = [] if command.seccomp is None else ["--seccomp", str(command.seccomp)]
    return [*arguments, *binding, *seccomp, "--chdir", folder, "--"]


def walled(command: Command) -> list[str]:
    """What bubblewrap would see to, as far as a program can do that to itself before it becomes another one."""
    held = "-" if command.seccomp is None else str(command.seccomp)
    readable = (shutil.which(command.argv[0]) or command.argv[0], *map(str, command.read_only))
    return [sys.executable, "-I", "-S", str(wall.__file__), held, str(command.folder), *readable, "--"]
