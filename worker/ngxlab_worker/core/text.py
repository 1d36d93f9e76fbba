"""Text of other programs, bounded before it becomes part of what the agent says."""

from pathlib import Path

LONGEST = 2000
"""Characters of a reason or a note."""


def last_words(path: Path) -> str:
    """The end of a file, as printable text. Raises ``OSError``."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - LONGEST // 2))
        return printable(file.read().decode(errors="replace").strip())


def printable(text: str) -> str:
    """At most the first :data:`LONGEST` characters, without control characters other than line breaks and tabs."""
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}\u2026"
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in cut)
