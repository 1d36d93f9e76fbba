"""The wrk of this host, and whether the agent may read its memory."""

import os
import re

from ngxlab_contracts.hosts import Capability, WrkBinary

from ngxlab_worker.core.kernel_files import CAP_SYS_PTRACE, SYSCTL, has_privilege, read
from ngxlab_worker.core.programs import ProgramError, ask, existing, on_path, sha256
from ngxlab_worker.engines.base import EngineInventory

_OPTIONS = ("--connections", "--duration", "--threads", "--script", "--header", "--latency", "--timeout")
UNVERSIONED = "without a version"
"""The version of a wrk that was built outside of its repository."""

_PTRACE_SCOPE = SYSCTL / "kernel/yama/ptrace_scope"


def wrk_inventory() -> EngineInventory:
    binary, detail = find_wrk()
    installed = Capability(name="wrk", available=binary is not None, detail=detail)
    return EngineInventory(capabilities=(installed, _memory_capability()), wrk=binary)


def find_wrk() -> tuple[WrkBinary | None, str]:
    """The wrk on PATH or ``None``, and a sentence that says which one it is or why there is none."""
    for path in existing(on_path("wrk")):
        try:
            wrk = WrkBinary(path=path, version=parse_version(ask(path, "-v")), sha256=sha256(path))
            _refuse_others(path)
        except ProgramError as error:
            return None, f"{path}: {error}"
        return wrk, f"wrk {wrk.version} at {path}"
    return None, "no wrk on PATH: install the package wrk"


def parse_version(text: str) -> str:
    """E.g. ``debian/4.1.0-3+b2``, from what ``wrk -v`` prints before it exits with 1. Raises ``ProgramError``."""
    version = re.match(r"wrk (\S*) \[\w+\]", text)
    if version is None:
        raise ProgramError("its -v names no version of wrk")
    return version[1] or UNVERSIONED


def _refuse_others(path: str) -> None:
    """wrk2 calls itself wrk 4.0.0, but its help has a rate, without which it does not run. Raises ``ProgramError``."""
    options = ask(path, "-h")
    if missing := [option for option in _OPTIONS if option not in options]:
        raise ProgramError(f"its help names no {missing[0]}")
    if "--rate" in options:
        raise ProgramError(
            "it is wrk2, which needs a constant rate: put wrk before it on PATH; for a constant rate, choose an engine "
            "that has one"
        )


def _memory_capability() -> Capability:
    """Whether the agent may read /proc/PID/mem of the wrk that it starts. Source: ptrace(2), Yama.rst."""
    available, detail = judge_wrk_memory(
        read(_PTRACE_SCOPE), can_ptrace=has_privilege(CAP_SYS_PTRACE), is_root=os.geteuid() == 0
    )
    return Capability(name="wrk-memory", available=available, detail=detail)


def judge_wrk_memory(ptrace_scope: str | None, *, can_ptrace: bool, is_root: bool) -> tuple[bool, str]:
    """``ptrace_scope`` is Yama's, ``None`` without Yama. wrk is the agent's child; if ``is_root``, of another user."""
    if ptrace_scope == "3":
        return False, "kernel.yama.ptrace_scope is 3: no process may be read until the next boot: set it to 1 at boot"
    if can_ptrace:
        return True, "the agent has CAP_SYS_PTRACE"
    if ptrace_scope == "2":
        return False, "kernel.yama.ptrace_scope is 2: set it to 1, or give the agent CAP_SYS_PTRACE"
    if is_root:
        return False, "the agent is root without CAP_SYS_PTRACE, and wrk runs as another user: add that capability"
    return True, f"wrk runs as the agent's own user (ptrace_scope {ptrace_scope or 'absent'})"
