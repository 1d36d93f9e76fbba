"""Reading what the kernel tells in small files."""

from pathlib import Path

PROC = Path("/proc")


def read(path: Path) -> str | None:
    """The content without surrounding white space, or ``None`` if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None
