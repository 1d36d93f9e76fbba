"""The kernel's limits, and its parameters: where those differ, two hosts or two days cannot be compared."""

import re
import resource
from pathlib import Path

from ngxlab_worker.core.kernel_files import SYSCTL, SYSFS, read_or_reason

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
