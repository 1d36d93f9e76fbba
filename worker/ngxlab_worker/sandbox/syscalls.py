"""seccomp filters: the system calls that a trial's processes may make. All others "do not exist" (ENOSYS).

A list of what is allowed, so that a call that the kernel learns tomorrow is not. Left out are namespaces, mounts, keys,
BPF, performance events, tracing, io_uring, user faults, modules and clocks; and sockets of any family but IPv4 and
IPv6, so that no Unix socket of the machine can be reached, with a name or without.

Sources: seccomp(2), seccomp_rule_add(3), clone(2), socket(2).
"""

import errno
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from tempfile import TemporaryFile

from ngxlab_contracts.hosts import Capability

try:
    import pyseccomp
except (ImportError, RuntimeError) as _error:  # RuntimeError: there is no libseccomp
    pyseccomp, MISSING = None, str(_error)
else:
    MISSING = ""

_FILES = (
    "access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64 "
    "fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync flock fstat fstatfs fsync ftruncate "
    "futimesat getcwd getdents getdents64 ioctl lchown link linkat lseek lstat memfd_create mkdir mkdirat newfstatat "
    "open openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat "
    "readv rename renameat renameat2 rmdir sendfile splice stat statfs statx symlink symlinkat sync_file_range tee "
    "truncate umask unlink unlinkat utime utimensat utimes vmsplice write writev io_cancel io_destroy io_getevents "
    "io_pgetevents io_setup io_submit"
)
_MEMORY = "brk madvise membarrier mincore mlock mlock2 mlockall mmap mprotect mremap msync munlock munlockall munmap"
_PROCESSES = (
    "arch_prctl capget capset execve exit exit_group fork futex futex_waitv get_robust_list getcpu getegid geteuid "
    "getgid getgroups getpgid getpgrp getpid getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid "
    "getuid kill pause prctl prlimit64 restart_syscall rseq sched_get_priority_max sched_get_priority_min "
    "sched_getaffinity sched_getparam sched_getscheduler sched_setaffinity sched_yield set_robust_list set_tid_address "
    "setgid setgroups setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid setuid sysinfo tgkill "
    "tkill uname vfork wait4 waitid"
)
_SIGNALS_AND_TIME = (
    "alarm clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep rt_sigaction rt_sigpending "
    "rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait setitimer sigaltstack time timer_create "
    "timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times"
)
_EVENTS = (
    "epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 pipe pipe2 poll ppoll "
    "pselect6 select signalfd signalfd4 getrandom"
)
_SOCKETS = (
    "accept accept4 connect getpeername getsockname getsockopt recvfrom recvmmsg recvmsg sendmmsg sendmsg sendto "
    "setsockopt shutdown socketpair"
)
_ALWAYS = " ".join((_FILES, _MEMORY, _PROCESSES, _SIGNALS_AND_TIME, _EVENTS, _SOCKETS)).split()
_SERVERS = ("bind", "listen")

_FAMILIES = (2, 10)  # AF_INET, AF_INET6
_TYPE_BITS = 0xF
_TCP_ONLY = ((1, (0, 6)),)
_TCP_AND_UDP = (*_TCP_ONLY, (2, (0, 17)))
"""The type of a socket (SOCK_STREAM, SOCK_DGRAM), and the protocols: the default one and its number."""
_NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, …CGROUP, …UTS, …IPC, …USER, …PID and …NET. clone3(2) is left out, whose flags no filter can see: the C
library then uses clone(2)."""
_OPTIMIZE, _BY_BINARY_SEARCH = 8, 2  # SCMP_FLTATR_CTL_OPTIMIZE
_CHEAP_SINCE = (5, 16)
"""Before, the kernel slows down whatever has a filter (spec_store_bypass_disable=seccomp), and so what is measured."""


@cache
def obstacle() -> str | None:
    """Why no filter can be made here, or none that would not spoil what is measured."""
    if pyseccomp is None:
        return f"{MISSING}: install the package libseccomp2"
    release = platform.release().split(".")
    if tuple(int(part) for part in release[:2] if part.isdigit()) < _CHEAP_SINCE:
        return f"Linux {platform.release()} slows filtered processes down: 5.16 and later do not"
    return None


@contextmanager
def system_calls(*, tcp_clients: bool = False) -> Iterator[int]:
    """A descriptor of the filter, as bubblewrap wants it. ``tcp_clients``: sockets are for outgoing TCP only.

    Raises ``LookupError`` where no filter can be made.
    """
    if pyseccomp is None:
        raise LookupError(MISSING)
    descriptor = os.memfd_create("ngxlab-seccomp")
    try:
        os.write(descriptor, _program(tcp_clients))
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def probe_system_calls() -> Capability:
    """Whether nginx and the generators make only the system calls that they need."""
    if reason := obstacle():
        detail = f"nginx and load generators may make any system call: {reason}"
        return Capability(name="system-calls", available=False, detail=detail)
    detail = "nginx and load generators can make the system calls of a list only, and no Unix sockets (seccomp)"
    return Capability(name="system-calls", available=True, detail=detail)


@cache
def _program(tcp_clients: bool) -> bytes:  # noqa: FBT001
    """The instructions; made once, in about 10 ms."""
    unknown, refuse, allow = pyseccomp.ERRNO(errno.ENOSYS), pyseccomp.ERRNO(errno.EPERM), pyseccomp.ALLOW
    rules = pyseccomp.SyscallFilter(unknown)
    rules.set_attr(_OPTIMIZE, _BY_BINARY_SEARCH)
    rules.set_attr(pyseccomp.Attr.ACT_BADARCH, unknown)  # such as the 32-bit calls of the same machine
    for name in _ALWAYS:
        with suppress(OSError):  # this architecture never had it, or libseccomp does not know it yet
            rules.add_rule(allow, name)
    for name in _SERVERS:
        rules.add_rule(refuse if tcp_clients else allow, name)
    rules.add_rule(allow, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _NEW_NAMESPACES, 0))
    rules.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.LT, min(_FAMILIES)))
    rules.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.GT, max(_FAMILIES)))
    for family in _FAMILIES:
        for kind, protocols in _TCP_ONLY if tcp_clients else _TCP_AND_UDP:
            asked = pyseccomp.Arg(0, pyseccomp.EQ, family), pyseccomp.Arg(1, pyseccomp.MASKED_EQ, _TYPE_BITS, kind)
            for protocol in protocols:
                rules.add_rule(allow, "socket", *asked, pyseccomp.Arg(2, pyseccomp.EQ, protocol))
    with TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
