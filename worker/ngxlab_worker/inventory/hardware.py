"""CPU, memory, network interfaces, and the kernel's limits and parameters."""

import os
import platform
import re
import resource
import socket
from pathlib import Path

import psutil
from ngxlab_contracts.hosts import Cpu, Nic

from ngxlab_worker.core.kernel_files import SYSCTL, SYSFS, read, read_or_reason

LIMITS = {
    "ip_local_port_range": "net/ipv4/ip_local_port_range",
    "somaxconn": "net/core/somaxconn",
    "tcp_max_syn_backlog": "net/ipv4/tcp_max_syn_backlog",
    "tcp_max_tw_buckets": "net/ipv4/tcp_max_tw_buckets",
    "nf_conntrack_max": "net/netfilter/nf_conntrack_max",
    "pid_max": "kernel/pid_max",
    "threads_max": "kernel/threads-max",
    "file_max": "fs/file-max",
    "nr_open": "fs/nr_open",
}
_SYSCTLS = {
    "randomize_va_space": "kernel/randomize_va_space",
    "sched_autogroup_enabled": "kernel/sched_autogroup_enabled",
    "numa_balancing": "kernel/numa_balancing",
    "swappiness": "vm/swappiness",
    "netdev_max_backlog": "net/core/netdev_max_backlog",
    "default_qdisc": "net/core/default_qdisc",
    "tcp_congestion_control": "net/ipv4/tcp_congestion_control",
    "tcp_fin_timeout": "net/ipv4/tcp_fin_timeout",
    "tcp_tw_reuse": "net/ipv4/tcp_tw_reuse",
    "tcp_slow_start_after_idle": "net/ipv4/tcp_slow_start_after_idle",
    "tcp_rmem": "net/ipv4/tcp_rmem",
    "tcp_wmem": "net/ipv4/tcp_wmem",
}
_SYSFS = {
    "transparent_hugepage": "kernel/mm/transparent_hugepage/enabled",
    "transparent_hugepage_defrag": "kernel/mm/transparent_hugepage/defrag",
    "clocksource": "devices/system/clocksource/clocksource0/current_clocksource",
    "cpuidle_driver": "devices/system/cpu/cpuidle/current_driver",
    "cpuidle_governor": "devices/system/cpu/cpuidle/current_governor_ro",
    "cpufreq_driver": "devices/system/cpu/cpu0/cpufreq/scaling_driver",
    "no_turbo": "devices/system/cpu/intel_pstate/no_turbo",
    "smt": "devices/system/cpu/smt/control",
    "isolated_cpus": "devices/system/cpu/isolated",
}


def limits(sysctl: Path = SYSCTL) -> dict[str, str]:
    """The limits of this host; ``unavailable: reason`` for one that cannot be read. ``nofile`` is the agent's own."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    nofile = {"nofile_soft": _limit(soft), "nofile_hard": _limit(hard)}
    return nofile | {name: read_or_reason(sysctl / path) for name, path in LIMITS.items()}


def fingerprint(sysctl: Path = SYSCTL, sysfs: Path = SYSFS) -> dict[str, str]:
    """The kernel's parameters; of a choice such as ``always [madvise] never`` only the chosen word."""
    sysctls = {name: read_or_reason(sysctl / path) for name, path in _SYSCTLS.items()}
    return sysctls | {name: _chosen(read_or_reason(sysfs / path)) for name, path in _SYSFS.items()}


def _limit(value: int) -> str:
    return "unlimited" if value == resource.RLIM_INFINITY else str(value)


def _chosen(text: str) -> str:
    choice = re.search(r"\[(\S+)\]", text)
    return choice[1] if choice else text


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
