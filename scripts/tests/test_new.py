"""The files that ``make new`` writes: they are found where they lie, and their own tests pass."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import new
from scripts.console import Failure
from scripts.paths import ROOT

FOLDERS = ("backend", "worker")
NAMES = {"collector": "made-up", "check": "surprisingly-many-interrupts", "template": "surprisingly-many-interrupts"}
"""As long as a name may well be, since lines grow with it: that of a collector is a file's in /proc."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what new files are added to."""
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def check(checkout: Path, *command: str) -> None:
    """The copy comes before what is installed."""
    own = [checkout / one for one in ("backend", "backend/tests", "worker")]
    path = {"PYTHONPATH": os.pathsep.join(map(str, own))}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        check=False,
        cwd=checkout,
        env=os.environ | path,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["collector", "check", "template"])
def test_what_is_written_is_well_formed_and_passes_its_own_tests(checkout: Path, kind: str) -> None:
    proc = checkout / "proc"
    proc.mkdir()
    (proc / "made_up").write_text("events 3133146\n")
    written = dict(new.files(kind, NAMES[kind], proc))
    for path, text in written.items():
        (checkout / path).parent.mkdir(parents=True, exist_ok=True)
        (checkout / path).write_text(text)
    python = [str(path) for path in written if path.suffix == ".py"]
    check(checkout, "ruff", "check", *python)
    check(checkout, "ruff", "format", "--check", *python)
    if kind == "check":
        check(checkout, "mypy", "--strict", "--follow-imports=silent", *python)
    own = [path for path in python if "/test_" in path and "worker/tests/checks" not in path]
    assert own
    for test in own:
        check(checkout, "pytest", "-q", "-p", "no:cacheprovider", test)


@pytest.mark.parametrize("name", ["Major", "../x", "1st", "a--b", ""])
def test_a_name_that_cannot_be_a_module_is_refused(name: str) -> None:
    with pytest.raises(Failure, match="is no name"):
        list(new.files("check", name))
