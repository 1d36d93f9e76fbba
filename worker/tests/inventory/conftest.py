"""Golden files, and programs that are not what they seem."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def golden() -> Callable[[str], str]:
    """What real programs print; Tengine's and nginx.org's in their format, Debian's as captured."""
    folder = Path(__file__).parent / "golden"
    return lambda name: (folder / name).read_text(encoding="utf-8")


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str, str], str]:
    """``program(name, shell_script)``: an executable file; gives its path."""

    def write(name: str, script: str) -> str:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return str(path)

    return write
