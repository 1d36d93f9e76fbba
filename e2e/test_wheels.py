"""Each package as a person installs it: into an empty environment, from its folder, with what its wheel must hold."""

import os
import subprocess
import sys
from email.parser import Parser
from pathlib import Path
from typing import NamedTuple

import pytest

from scripts.paths import ROOT
from scripts.setup.python_env import tool_environment
from scripts.testbed.stack import Stack

PACKAGES = ("backend/contracts", "backend/policy", "backend/verdict", "backend", "worker", "cli")


class Installed(NamedTuple):
    folder: Path

    def run(self, *command: str, **settings: str) -> "subprocess.CompletedProcess[str]":
        program, *arguments = command
        own = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"} | settings
        called = [str(self.folder / "bin" / program), *arguments]
        return subprocess.run(called, env=own, cwd="/", capture_output=True, text=True, check=False)


def _install(folder: Path, *what: str | Path) -> Installed:
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *map(str, what)], env=tool_environment(), check=True)
    return Installed(folder)


@pytest.mark.timeout(600)
def test_the_server_installed_from_its_wheel_migrates_a_database(stack: Stack, tmp_path: Path) -> None:
    server = _install(tmp_path / "server", ROOT / "backend")
    settings = {
        "DATABASE_URL": stack.database_url(),
        "REDIS_URL": stack.redis_url(),
        "NGXLAB_COORDINATOR_TOKEN": "x" * 32,
    }
    head = "from alembic.script import ScriptDirectory as S; from ngxlab.core.migrate import alembic_config as c, "
    asked = server.run("python", "-c", f"{head}MIGRATIONS; print(S.from_config(c()).get_current_head(), MIGRATIONS)")
    assert str(tmp_path) in asked.stdout, asked.stderr  # its own, not the repository's
    migrated = server.run("ngxlab-server", "migrate", **settings)
    assert migrated.returncode == 0, migrated.stderr


@pytest.mark.timeout(600)
def test_the_worker_installed_from_its_wheel_brings_its_engines_and_extends_the_command_line(tmp_path: Path) -> None:
    host = _install(tmp_path / "host", ROOT / "worker", ROOT / "cli")
    assert host.run("ngxlab-openloop", "--check").stdout.strip() == "ok"
    assert "unrecognized option '--check'" in host.run("ngxlab-hold", "--check").stderr  # it has started
    asked = "from ngxlab_worker.engines.native import find_program as f; print(f('ngxlab-hold'), f('ngxlab-openloop'))"
    assert host.run("python", "-c", asked).stdout.count(str(tmp_path / "host" / "bin")) == 2
    agent = host.run("ngxlab-worker", "agent", NGXLAB_AGENT_DIR=str(tmp_path / "agent"))
    assert (agent.returncode, "ngxlab host join" in agent.stderr) == (1, True)
    assert "enrol this machine with a one-time token" in host.run("ngxlab", "host", "--help").stdout


@pytest.mark.timeout(300)
@pytest.mark.parametrize("package", PACKAGES)
def test_every_wheel_tells_its_licence_and_what_it_is(package: str, tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", tmp_path, ROOT / package], env=tool_environment(), check=True)
    (wheel,) = tmp_path.glob("*.whl")
    shown = [sys.executable, "-m", "zipfile", "-l", str(wheel)]
    assert "/licenses/LICENSE" in subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    reading = f"import zipfile; z = zipfile.ZipFile({str(wheel)!r}); "
    reading += "print(z.read(next(n for n in z.namelist() if n.endswith('/METADATA'))).decode())"
    text = subprocess.run([sys.executable, "-c", reading], capture_output=True, text=True, check=True).stdout
    metadata = Parser().parsestr(text)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert str(metadata.get_payload()).startswith("# ngxlab")
    assert ("py3-none-manylinux_2_" if package == "worker" else "py3-none-any") in wheel.name
