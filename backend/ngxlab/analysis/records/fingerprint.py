"""A host's inventory at the time of a trial."""

from typing import TypeVar

from ngxlab_contracts.hosts import Inventory, NginxBinary, WrkBinary
from ngxlab_contracts.telemetry import FingerprintEvent

_Program = TypeVar("_Program", NginxBinary, WrkBinary)


def as_of(inventory: Inventory | None, fingerprint: FingerprintEvent | None) -> Inventory | None:
    """The inventory of the run's start, with what the host read anew before the trial. An agent of version 0.1 sends
    no fingerprint; then the inventory is the best that is known."""
    if inventory is None or fingerprint is None:
        return inventory
    return inventory.model_copy(
        update={
            "boot_id": fingerprint.boot_id,
            "kernel": fingerprint.kernel,
            "cpu": inventory.cpu.model_copy(update={"governor": fingerprint.governor}),
            "limits": inventory.limits | fingerprint.limits,
            "settings": inventory.settings | fingerprint.settings,
            "nginx": [_as_of(binary, fingerprint) for binary in inventory.nginx],
            "wrk": _as_of(inventory.wrk, fingerprint) if inventory.wrk is not None else None,
        }
    )


def _as_of(program: _Program, fingerprint: FingerprintEvent) -> _Program:
    sha256 = fingerprint.programs.get(program.path, program.sha256)
    return program.model_copy(update={"sha256": sha256}) if sha256 != program.sha256 else program
