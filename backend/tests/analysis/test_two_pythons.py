"""Another Python judges the same data alike, byte for byte; and so does this one with other threads and hashes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.paths import ROOT
from scripts.setup.other_python import PLACE

SCRIPT = Path(__file__).with_name("judged_here.py")
PARTS = ("backend", "backend/contracts", "backend/verdict", "backend/policy", "backend/tests")
OTHER = PLACE / "bin" / "python"


def said_by(python: str | Path, threads: int) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in PARTS),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": str(threads),
        "OPENBLAS_NUM_THREADS": str(threads),
    }
    answer = subprocess.run([python, SCRIPT], capture_output=True, text=True, check=False, env=environment)
    assert answer.returncode == 0, answer.stderr
    assert len(answer.stdout) > 100_000
    return answer.stdout


def differences(one: str, other: str) -> list[str]:
    """The first lines that differ."""
    both = zip(one.splitlines(), other.splitlines(), strict=True)
    return [f"{own.strip()} / {others.strip()}" for own, others in both if own != others][:10]


@pytest.fixture(scope="module")
def said_here() -> str:
    return said_by(sys.executable, 1)


def test_neither_threads_nor_hashes_matter(said_here: str) -> None:
    assert differences(said_by(sys.executable, 2), said_here) == []


@pytest.mark.skipif(
    not OTHER.exists(),
    reason="this machine has no other Python from 3.11 on: install one, or name it by NGXLAB_OTHER_PYTHON, "
    "and run `make setup-dev` again",
)
def test_another_python_judges_alike(said_here: str) -> None:
    assert differences(said_by(OTHER, 2), said_here) == []
