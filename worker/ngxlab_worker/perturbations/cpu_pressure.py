"""Pressure on the CPUs: processes that do nothing but compute."""

from pathlib import Path

from ngxlab_contracts.perturbations import CpuPressure

from ngxlab_worker.perturbations.pressure import PressureAction, Spawn
from ngxlab_worker.sandbox import Command

SCRIPT = 'n=$1; while [ "$n" -gt 1 ]; do (while :; do :; done) & n=$((n - 1)); done; while :; do :; done'


def cpu_pressure(spec: CpuPressure, spawn: Spawn, folder: Path) -> PressureAction:
    """Start the processes, which wait for the interval to begin. Raises ``SandboxError``."""
    argv = ("/bin/sh", "-c", SCRIPT, "cpu-pressure", str(spec.processes))
    return PressureAction(spawn(Command(argv, folder, folder / "out", folder / "err", gated=True)))
