"""Whether this host can sample the functions of a process, determined by asking the kernel (perf_event_open(2))."""

import ctypes
import errno
import os
import platform
import shutil
import struct

from ngxlab_contracts.hosts import PROFILE, Capability

from ngxlab_worker.core.kernel_files import SYSCTL, read

PERF = "perf"
_CALLS = {"x86_64": 298, "aarch64": 241}
_ATTRIBUTES = struct.Struct("=IIQQQQQ80x")
"""``struct perf_event_attr``: type, size, config, sample_period, sample_type, read_format, flags; the rest is zero."""
_SOFTWARE, _CPU_CLOCK = 1, 0
_PERIOD_NS = 10_000_000
_DISABLED, _EXCLUDE_KERNEL, _EXCLUDE_HV = 1 << 0, 1 << 5, 1 << 6
_CLOSE_ON_EXEC = 8
_PARANOID = "kernel.perf_event_paranoid"

_libc = ctypes.CDLL(None, use_errno=True)


def probe_profiling() -> Capability:
    """The capability, with the reason and the line that helps where it is missing."""
    if shutil.which(PERF) is None:
        return _unavailable("there is no perf: apt-get install linux-perf (on Ubuntu linux-tools-generic)")
    if (refused := _refusal(with_kernel=True)) is None:
        detail = "perf samples the functions of nginx, of its libraries and of the kernel below them"
        return Capability(name=PROFILE, available=True, detail=detail)
    if _refusal(with_kernel=False) is None:
        detail = (
            "perf samples the functions of nginx and of its libraries; those of the kernel are hidden from this agent: "
            f"sysctl -w {_PARANOID}=1 shows them"
        )
        return Capability(name=PROFILE, available=True, detail=detail)
    if refused in {errno.EACCES, errno.EPERM}:
        level = (read(SYSCTL / _PARANOID.replace(".", "/")) or "unknown").strip()
        return _unavailable(
            f"the kernel lets this agent sample nothing ({_PARANOID} is {level}): sysctl -w {_PARANOID}=1, or run the "
            "agent as root; a container also needs the capability PERFMON"
        )
    return _unavailable(f"the kernel cannot sample processes: {os.strerror(refused)}")


def samples_kernel() -> bool:
    """Whether the kernel's functions may be sampled too."""
    return _refusal(with_kernel=True) is None


def _refusal(*, with_kernel: bool) -> int | None:
    """Why the kernel opens no clock on this process itself; ``None`` where it does."""
    call = _CALLS.get(platform.machine())
    if call is None:
        return errno.ENOSYS
    flags = _DISABLED | _EXCLUDE_HV | (0 if with_kernel else _EXCLUDE_KERNEL)
    attributes = ctypes.create_string_buffer(
        _ATTRIBUTES.pack(_SOFTWARE, _ATTRIBUTES.size, _CPU_CLOCK, _PERIOD_NS, 0, 0, flags)
    )
    opened = int(_libc.syscall(call, attributes, 0, -1, -1, ctypes.c_ulong(_CLOSE_ON_EXEC)))
    if opened < 0:
        return ctypes.get_errno()
    os.close(opened)
    return None


def _unavailable(reason: str) -> Capability:
    return Capability(name=PROFILE, available=False, detail=reason)
