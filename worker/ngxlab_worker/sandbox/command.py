"""What to run in a sandbox."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Command:
    """What to run. ``folder`` is its working directory and the only place it may write (besides its own /tmp).

    ``gated``: everything is set up, but the program starts only at :meth:`Child.release`, within a millisecond.
    ``brief``: it may end before its process is seen, with any exit code.
    ``cpus``: the CPUs it may use, in the kernel's list format. ``distrusted``: a namespaced child may write only to a
    small /tmp of its own. ``only_to``: the only address and port that a distrusted child can reach, by any protocol.
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
    only_to: tuple[str, int] | None = None
    descriptors: tuple[int, ...] = ()
    seccomp: int | None = None
