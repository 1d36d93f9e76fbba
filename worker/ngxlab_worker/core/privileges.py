"""Capabilities of this process as the kernel means them (capabilities(7))."""

import re
from pathlib import Path

from ngxlab_worker.core.kernel_files import read

CAP_SETGID, CAP_SETUID, CAP_SYS_PTRACE = 6, 7, 19


def has_privilege(capability: int) -> bool:
    """Whether the bit is in the effective set of this process."""
    effective = re.search(r"^CapEff:\s*([0-9a-f]+)$", read(Path("/proc/self/status")) or "", re.MULTILINE)
    return effective is not None and bool(int(effective[1], 16) >> capability & 1)
