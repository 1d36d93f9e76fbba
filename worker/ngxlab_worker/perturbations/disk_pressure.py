"""Pressure on the disk: writes and fsyncs in the trial's folder."""

import inspect
import sys
from pathlib import Path

from ngxlab_contracts.perturbations import DiskPressure

from ngxlab_worker.perturbations import disk_writer
from ngxlab_worker.perturbations.pressure import PressureAction, Spawn
from ngxlab_worker.sandbox import Command


def disk_pressure(spec: DiskPressure, spawn: Spawn, folder: Path, writers: int) -> PressureAction:
    """Start the process, which waits for the interval to begin. ``writers``: how many of them share this disk.

    The program is passed as text, since its user may not be able to read its file. Raises ``SandboxError``.
    """
    python = Path(sys.executable).resolve()
    home = Path(sys.base_prefix)
    source = inspect.getsource(disk_writer)
    arguments = (str(folder / "pressure"), str(spec.bytes_per_s), str(writers))
    command = Command(
        argv=(str(python), "-I", "-S", "-c", source, *arguments),
        folder=folder,
        stdout=folder / "out",
        stderr=folder / "err",
        gated=True,
        read_only=() if home.is_relative_to("/usr") else (home,),
        max_file_bytes=disk_writer.LARGEST_FILE,
    )
    return PressureAction(spawn(command))
