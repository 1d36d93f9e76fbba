"""All packages have one version, which their commands say, and need each other in it."""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest
from ngxlab_contracts.version import VERSION

from scripts.paths import BIN, FRONTEND
from scripts.setup.python_env import PROJECTS


@pytest.mark.parametrize("command", ["ngxlab", "ngxlab-server", "ngxlab-worker"])
def test_a_command_says_its_version(command: str) -> None:
    told = subprocess.run([BIN / command, "--version"], capture_output=True, text=True, check=True)
    assert told.stdout == f"{command} {VERSION}\n"


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_packages_need_each_other_in_this_version(project: Path) -> None:
    about = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    assert "version" in about["dynamic"]
    optional = [one for extra in about.get("optional-dependencies", {}).values() for one in extra]
    own = [one for one in [*about["dependencies"], *optional] if one.startswith("ngxlab")]
    assert {one.partition("==")[2] for one in own} <= {f"{VERSION.rpartition('.')[0]}.*"}


def test_the_frontend_has_it() -> None:
    assert json.loads((FRONTEND / "package.json").read_text())["version"] == VERSION
    assert json.loads((FRONTEND / "package-lock.json").read_text())["version"] == VERSION
