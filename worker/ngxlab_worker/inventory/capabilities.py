"""What this host can do for a trial, and how to enable what it cannot do. Engines describe their own needs."""

import os
import resource
from pathlib import Path

from ngxlab_contracts.hosts import Capability

from ngxlab_worker.core.kernel_files import CAP_SETGID, CAP_SETUID, CAP_SYS_PTRACE, SYSCTL, has_privilege, read

_AMPLE_FILES = 65_536


def psi() -> Capability:
    try:
        Path("/proc/pressure/cpu").read_bytes()
    except OSError as error:
        return _no("psi", f"/proc/pressure: {error.strerror}; boot with psi=1 on a kernel with CONFIG_PSI")
    return _yes("psi", "pressure of CPU, I/O and memory can be read")


def cpufreq(governor: str | None) -> Capability:
    """Whether the kernel shows the CPUs' frequency, and which governor sets it."""
    if governor is None:
        return _no(
            "cpufreq",
            "the kernel shows no CPU frequency (usual in virtual machines), so that its changes cannot be seen",
        )
    if governor != "performance":
        return _yes("cpufreq", f"governor {governor}: set it to performance (cpupower frequency-set -g performance)")
    return _yes("cpufreq", "governor performance")


def conntrack() -> Capability:
    limit = read(SYSCTL / "net/netfilter/nf_conntrack_max")
    if limit is None:
        return _no("conntrack", "nf_conntrack is not loaded: connection tracking limits nothing")
    return _yes("conntrack", f"at most {limit} tracked connections (net.netfilter.nf_conntrack_max)")


def ktls() -> Capability:
    """Whether the kernel can encrypt what nginx sends. Source: Documentation/networking/tls.rst."""
    protocols = read(SYSCTL / "net/ipv4/tcp_available_ulp")
    if protocols is None or "tls" not in protocols.split():
        return _no("ktls", "the kernel's module tls is not loaded: modprobe tls, where the kernel has it (CONFIG_TLS)")
    return _yes("ktls", "the kernel can encrypt TLS (ssl_conf_command Options KTLS)")


def drop_privileges() -> Capability:
    if os.geteuid() != 0:
        return _no(
            "drop-privileges",
            f"the agent is not root: nginx and load generators run as its own user, uid {os.geteuid()}",
        )
    if not (has_privilege(CAP_SETUID) and has_privilege(CAP_SETGID)):
        return _no("drop-privileges", "the agent is root without CAP_SETUID and CAP_SETGID: add them")
    return _yes("drop-privileges", "the agent is root: nginx and load generators run as an unprivileged user")


def process_io() -> Capability:
    if read(Path("/proc/self/io")) is None:
        return _no("process-io", "this kernel has no /proc/PID/io (CONFIG_TASK_IO_ACCOUNTING)")
    if os.geteuid() == 0 and not has_privilege(CAP_SYS_PTRACE):
        return _no("process-io", "the agent is root without CAP_SYS_PTRACE, and nginx runs as another user: add it")
    return _yes("process-io", "bytes and calls of nginx and of the load generators can be read")


def nofile() -> Capability:
    """The number of files that a process may have open (the hard limit), which limits its connections."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY or hard >= _AMPLE_FILES:
        return _yes("nofile", f"up to {'unlimited' if hard == resource.RLIM_INFINITY else hard} open files a process")
    detail = f"at most {hard} open files a process, so about {hard * 9 // 10} connections: "
    return _no(
        "nofile", detail + "raise LimitNOFILE of the agent's service, or spread the connections over several processes"
    )


def nginx(versions: dict[str, str], refused: dict[str, str]) -> Capability:
    """Whether there is an nginx. ``versions`` of the usable binaries by path; ``refused``: reasons by path."""
    notes = [f"{version} at {path}" for path, version in versions.items()]
    notes += [f"{path} refused: {reason}" for path, reason in refused.items()]
    return Capability(
        name="nginx", available=bool(versions), detail="; ".join(notes) or "no nginx: install the package nginx"
    )


def _yes(name: str, detail: str) -> Capability:
    return Capability(name=name, available=True, detail=detail)


def _no(name: str, detail: str) -> Capability:
    return Capability(name=name, available=False, detail=detail)
