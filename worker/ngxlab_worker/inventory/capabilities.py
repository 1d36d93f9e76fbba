"""What this host can do for a trial, and how to mend what it cannot."""

import os
import resource
from pathlib import Path

from ngxlab_contracts.hosts import Capability

from ngxlab_worker.core.kernel_files import SYSCTL, read
from ngxlab_worker.core.privileges import CAP_SETGID, CAP_SETUID, CAP_SYS_PTRACE, has_privilege
from ngxlab_worker.storage import probe_throttling

_AMPLE_FILES = 65_536


def psi() -> Capability:
    """Pressure stall information."""
    try:
        Path("/proc/pressure/cpu").read_bytes()
    except OSError as error:
        return _no("psi", f"/proc/pressure: {error.strerror}; boot with psi=1 on a kernel with CONFIG_PSI")
    return _yes("psi", "pressure of cpu, io and memory is readable")


def cpufreq(governor: str | None) -> Capability:
    """Does the kernel show, and perhaps change, the CPUs' frequency?"""
    if governor is None:
        return _no("cpufreq", "the kernel shows no CPU frequency (usual in virtual machines): drifts go unseen")
    if governor != "performance":
        return _yes("cpufreq", f"governor {governor}: set it to performance (cpupower frequency-set -g performance)")
    return _yes("cpufreq", "governor performance")


def conntrack() -> Capability:
    """Is connection tracking visible?"""
    limit = read(SYSCTL / "net/netfilter/nf_conntrack_max")
    if limit is None:
        return _no("conntrack", "nf_conntrack is not loaded here: it limits nothing, and there is nothing to watch")
    return _yes("conntrack", f"at most {limit} tracked connections (net.netfilter.nf_conntrack_max)")


def drop_privileges() -> Capability:
    """Can nginx and wrk run as another user than the agent?"""
    if os.geteuid() != 0:
        return _no("drop-privileges", f"the agent is not root: nginx and wrk run as its own user, uid {os.geteuid()}")
    if not (has_privilege(CAP_SETUID) and has_privilege(CAP_SETGID)):
        return _no("drop-privileges", "the agent is root without CAP_SETUID and CAP_SETGID: add them")
    return _yes("drop-privileges", "the agent is root: nginx and wrk run as an unprivileged user")


def process_io() -> Capability:
    """Bytes and calls of each process."""
    if read(Path("/proc/self/io")) is None:
        return _no("process-io", "this kernel has no /proc/PID/io (CONFIG_TASK_IO_ACCOUNTING)")
    if os.geteuid() == 0 and not has_privilege(CAP_SYS_PTRACE):
        return _no("process-io", "the agent is root without CAP_SYS_PTRACE, and nginx runs as another user: add it")
    return _yes("process-io", "bytes and calls of nginx and of the generators are readable")


def throttled_disk() -> Capability:
    """Can cold files be read through a slow device?"""
    found = probe_throttling()
    return Capability(name="throttled-disk", available=found.available, detail=found.detail)


def nofile() -> Capability:
    """Open files a process may have, the hard limit: it bounds connections."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY or hard >= _AMPLE_FILES:
        return _yes("nofile", f"up to {'unlimited' if hard == resource.RLIM_INFINITY else hard} open files a process")
    detail = f"at most {hard} open files a process, so about {hard * 9 // 10} connections: "
    return _no("nofile", detail + "raise LimitNOFILE of the agent's service, or spread connections over processes")


def nginx(versions: dict[str, str], refused: dict[str, str]) -> Capability:
    """``versions`` of usable binaries by path; ``refused``: reasons by path."""
    notes = [f"{version} at {path}" for path, version in versions.items()]
    notes += [f"{path} refused: {reason}" for path, reason in refused.items()]
    return Capability(
        name="nginx", available=bool(versions), detail="; ".join(notes) or "no nginx found: install the package nginx"
    )


def _yes(name: str, detail: str) -> Capability:
    return Capability(name=name, available=True, detail=detail)


def _no(name: str, detail: str) -> Capability:
    return Capability(name=name, available=False, detail=detail)
