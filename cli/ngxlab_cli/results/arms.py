"""Which file is which arm's: the nth file of each arm is its nth block."""

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path

from ngxlab_cli.errors import UsageError

Files = dict[str, list[Path]]


def files_of(texts: Sequence[str]) -> Files:
    """``texts``: ``ARM=PATTERN``, or files and folders, where the folder's name is the arm. Raises ``UsageError``."""
    arms: Files = {}
    for text in texts:
        for arm, path in _named(text):
            arms.setdefault(arm, []).append(path)
    return arms


def _named(text: str) -> Iterator[tuple[str, Path]]:
    arm, sign, pattern = text.partition("=")
    if not sign or Path(text).exists():
        arm, pattern = "", text
    found = [Path(pattern)]
    if not found[0].exists():
        found = sorted(map(Path, glob.glob(pattern)), key=_by_number)  # noqa: PTH207 (a pattern may be absolute)
    if not found:
        raise UsageError(f"{text}: there is no such file")
    for path in found:
        inside = sorted((one for one in path.iterdir() if one.is_file()), key=_by_number) if path.is_dir() else [path]
        if not inside:
            raise UsageError(f"{path} has no files")
        for file in inside:
            yield arm or file.resolve().parent.name, file


def _by_number(path: Path) -> tuple[object, ...]:
    """``run-10`` comes after ``run-9``."""
    parts: list[tuple[int, int | str]] = []
    word = ""
    for character in [*path.name, ""]:
        if word and (not character or character.isdecimal() != word[-1].isdecimal()):
            parts.append((0, int(word)) if word.isdecimal() else (1, word))
            word = ""
        word += character
    return tuple(parts)
