"""Reading small files of the kernel that may be missing or unreadable."""

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
    """A non-negative integer, or ``None`` for anything else."""
    return int(text) if text is not None and text.isdigit() else None
