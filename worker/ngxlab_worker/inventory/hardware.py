"""CPU, memory and network interfaces."""

import os
import platform
import re
import socket
from pathlib import Path

import psutil
from ngxlab_contracts.hosts import Cpu, Nic

from ngxlab_worker.core.kernel_files import SYSFS, read

_CPUINFO = Path("/proc/cpuinfo")


def cpu(cpuinfo: Path = _CPUINFO, sysfs: Path = SYSFS) -> Cpu:
    """The machine's logical CPUs. ``mhz``: the highest frequency, or the present one if that is unknown."""
    text = read(cpuinfo) or ""
    return Cpu(
        model=_field(text, "model name") or _field(text, "Model") or platform.machine(),
        logical=os.cpu_count() or 1,
        physical=_cores(),
        mhz=_mhz(text, sysfs),
        governor=cpu_governor(sysfs),
    )


def memory_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def nics() -> list[Nic]:
    """Every interface with its IP addresses, and its speed as the driver reports it (virtual ones have none)."""
    try:
        addresses, interfaces = psutil.net_if_addrs(), psutil.net_if_stats()
    except OSError:
        return []
    families = {socket.AF_INET, socket.AF_INET6}
    return [
        Nic(
            name=name,
            addresses=[
                entry.address.partition("%")[0] for entry in addresses.get(name, []) if entry.family in families
            ],
            speed_mbps=stats.speed or None,
            mtu=stats.mtu or None,
        )
        for name, stats in sorted(interfaces.items())
    ]


def _cores() -> int | None:
    try:
        return psutil.cpu_count(logical=False)
    except OSError:
        return None


def _field(cpuinfo: str, name: str) -> str | None:
    line = re.search(rf"^{name}\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return line[1].strip() if line else None


def _mhz(cpuinfo: str, sysfs: Path) -> float | None:
    highest_khz = read(sysfs / "devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
    current = _field(cpuinfo, "cpu MHz")
    try:
        if highest_khz is not None:
            return int(highest_khz) / 1000
        return float(current) if current is not None else None
    except ValueError:
        return None


def cpu_governor(sysfs: Path = SYSFS) -> str | None:
    """The governor of the CPUs; several are joined by commas."""
    files = sorted((sysfs / "devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor"))
    governors = {text for text in map(read, files) if text}
    return ",".join(sorted(governors)) or None
