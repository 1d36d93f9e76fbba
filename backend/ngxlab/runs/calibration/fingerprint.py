"""What a host's noise depends on, as far as it is known: after a change, a calibration is stale."""

from collections.abc import Mapping

from ngxlab_contracts.hosts import Inventory

Facts = Mapping[str, str]
"""Facts by their subject: ``kernel``, ``CPU``, ``memory``, ``nginx``, and each engine's program."""

_OF_THE_MACHINE = ("kernel", "CPU", "memory")


def facts(inventory: Inventory, nginx: str | None = None) -> Facts:
    """``nginx``: path of the binary that runs; the first one of the inventory if not given."""
    cpu = inventory.cpu
    found = {
        "kernel": inventory.kernel,
        "CPU": f"{cpu.model}, {cpu.logical} logical",
        "memory": f"{inventory.memory_bytes / 2**30:.1f} GiB",
    }
    binary = next((one for one in inventory.nginx if nginx in {None, one.path}), None)
    if binary is not None:
        found["nginx"] = f"{binary.path} {binary.version} (sha256 {binary.sha256[:12]})"
    for name, program in inventory.engine_programs.items():
        found[name] = f"{program.version} (sha256 {program.sha256[:12]})"
    return found


def nginx_path(recorded: Facts) -> str | None:
    return recorded["nginx"].partition(" ")[0] if "nginx" in recorded else None


def change(recorded: Facts, now: Facts) -> str | None:
    """The first difference in words, e.g. "the kernel changed from 6.1.0 to 6.1.2"."""
    for name in [*recorded, *(name for name in now if name not in recorded)]:
        before, after = recorded.get(name, "none"), now.get(name, "none")
        if before != after:
            return f"{'the ' if name in _OF_THE_MACHINE else ''}{name} changed from {before} to {after}"
    return None
