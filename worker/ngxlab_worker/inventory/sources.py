"""Reading small files of the kernel that may be missing or forbidden."""

from pathlib import Path

SYSCTL = Path("/proc/sys")
SYSFS = Path("/sys")


def read(path: Path) -> str | None:
    """The content without surrounding white space, or ``None`` if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def read_or_reason(path: Path) -> str:
    """The content, its words one space apart, or ``unavailable: `` and why."""
    try:
        return " ".join(path.read_text(encoding="utf-8", errors="replace").split())
    except OSError as error:
        return f"unavailable: {error.strerror}"
