"""The images install from locks of their own: these must hold everything that the packages in them ask for."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from scripts.paths import BIN, FRONTEND, LOCKS, ROOT

IMAGES = {
    "backend": ["backend", "backend/contracts", "backend/policy", "backend/verdict"],
    "worker": ["worker", "backend/contracts", "backend/policy"],
    "runtime": ["backend", "backend/contracts", "backend/policy", "backend/verdict", "worker", "cli"],
    "dev": ["backend", "backend/contracts", "backend/policy", "backend/verdict", "worker", "cli"],
}


def normalised(requirement: str) -> str:
    """The bare name of a requirement, as PEP 503 writes it."""
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match is not None, requirement
    return re.sub(r"[-_.]+", "-", match.group()).lower()


def asked_for(project: Path) -> set[str]:
    content = tomllib.loads((project / "pyproject.toml").read_text())
    names = {normalised(entry) for entry in content["project"]["dependencies"]}
    return names - {"ngxlab-contracts", "ngxlab-policy", "ngxlab-verdict"}


@pytest.mark.parametrize("lock", IMAGES)
def test_a_lock_holds_what_its_packages_ask_for(lock: str) -> None:
    pinned = re.findall(r"^([^\s#]+)==", (LOCKS / f"{lock}.txt").read_text(), flags=re.MULTILINE)
    wanted = set().union(*(asked_for(ROOT / project) for project in IMAGES[lock])) | {"hatchling", "editables"}
    assert wanted - {normalised(name) for name in pinned} == set()


@pytest.mark.parametrize("lock", sorted(LOCKS.glob("*.txt")), ids=lambda path: path.stem)
def test_a_lock_pins_by_hash_and_names_no_index(lock: Path) -> None:
    text = lock.read_text()
    assert text.count("==") <= text.count("--hash=sha256:")
    assert "://" not in text


def test_packages_of_the_frontend_run_no_scripts_when_they_are_installed() -> None:
    """They would run as whoever sets the server up, who may be root."""
    command = [str(BIN / "npm"), "config", "get", "ignore-scripts"]
    environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}
    asked = subprocess.run(command, cwd=FRONTEND, env=environment, capture_output=True, text=True, check=True)
    assert asked.stdout.strip() == "true"
