"""Small files of the kernel that may be missing or unreadable, and this process's capabilities (capabilities(7))."""

import re
from pathlib import Path

PROC = Path("/proc")
SYSCTL = PROC / "sys"
SYSFS = Path("/sys")


def read(path: Path) -> str | None:
    """The content without surrounding white space, or ``None`` if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def read_or_reason(path: Path) -> str:
    """The content with single spaces between its words, or ``unavailable: `` and the reason."""
    try:
        return " ".join(path.read_text(encoding="utf-8", errors="replace").split())
    except OSError as error:
        return f"unavailable: {error.strerror}"


def number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None


CAP_SETGID, CAP_SETUID, CAP_SYS_PTRACE = 6, 7, 19


def has_privilege(capability: int) -> bool:
    """Whether the bit is in the effective set of this process."""
    effective = re.search(r"^CapEff:\s*([0-9a-f]+)$", read(Path("/proc/self/status")) or "", re.MULTILINE)
    return effective is not None and bool(int(effective[1], 16) >> capability & 1)
