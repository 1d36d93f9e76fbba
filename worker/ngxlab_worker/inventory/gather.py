"""Gathers the inventory of this host."""

import platform
from collections.abc import Sequence

from ngxlab_contracts.hosts import Capability, HostCaps, Inventory

from ngxlab_worker.core.kernel_files import SYSCTL, read
from ngxlab_worker.engines import engines_inventory
from ngxlab_worker.inventory import capabilities, hardware, nginx
from ngxlab_worker.inventory.hardware import fingerprint, limits
from ngxlab_worker.profiling import probe_profiling
from ngxlab_worker.storage import probe_throttling


def gather(
    agent_version: str, containment: Sequence[Capability], nginx_paths: Sequence[str] = (), caps: HostCaps | None = None
) -> Inventory:
    """The inventory. ``nginx_paths``: binaries besides those in the usual places; ``caps``: set by the host's owner.

    ``containment``: how children are contained. Each nginx and each engine's program is run once to ask for its
    version, and read for its checksum, which takes tens of milliseconds. A value that the host does not reveal is
    replaced by a reason.
    """
    cpu = hardware.cpu()
    binaries, refused = nginx.find(nginx_paths)
    engines = engines_inventory()
    return Inventory(
        agent_version=agent_version,
        hostname=platform.node(),
        boot_id=read(SYSCTL / "kernel/random/boot_id") or "",
        kernel=platform.release(),
        os=_distribution(),
        python=platform.python_version(),
        cpu=cpu,
        memory_bytes=hardware.memory_bytes(),
        nics=hardware.nics(),
        limits=limits(),
        settings=fingerprint(),
        nginx=binaries,
        wrk=engines.wrk,
        capabilities=[
            *containment,
            capabilities.nginx({binary.path: binary.version for binary in binaries}, refused),
            *engines.capabilities,
            capabilities.drop_privileges(),
            capabilities.process_io(),
            capabilities.psi(),
            capabilities.cpufreq(cpu.governor),
            capabilities.conntrack(),
            capabilities.ktls(),
            capabilities.nofile(),
            probe_throttling(),
            probe_profiling(),
        ],
        caps=caps or HostCaps(),
    )


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()
