"""The units in systemd/: systemd reads them without a complaint, and each runs a command that its package has."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from scripts.paths import ROOT

UNITS = sorted((ROOT / "systemd").glob("*.service"))
PACKAGE_OF = {"ngxlab-server": "backend", "ngxlab-front": "backend", "ngxlab-worker": "worker"}
_VERIFIER = shutil.which("systemd-analyze")


@pytest.mark.skipif(_VERIFIER is None, reason="this machine has no systemd-analyze")
def test_systemd_has_no_complaint(tmp_path: Path) -> None:
    """With programs that exist: it complains of those that do not."""
    for unit in UNITS:
        text = re.sub(r"^(ExecStart=)\S+", r"\1/bin/true", unit.read_text(), flags=re.MULTILINE)
        (tmp_path / unit.name).write_text(text)
    files = [str(tmp_path / unit.name) for unit in UNITS]
    order = [str(_VERIFIER), "verify", "--man=no", "--recursive-errors=no", *files]
    done = subprocess.run(order, capture_output=True, text=True, check=False)
    ours = [line for line in (done.stdout + done.stderr).splitlines() if "ngxlab" in line]
    assert (ours, done.returncode) == ([], 0)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_it_runs_a_command_that_its_package_has_and_no_secret_stands_in_it(unit: Path) -> None:
    text = unit.read_text()
    [started] = re.findall(r"^ExecStart=(\S+)", text, re.MULTILINE)
    name = Path(started).name
    project = tomllib.loads((ROOT / PACKAGE_OF[name] / "pyproject.toml").read_text())["project"]
    assert name in project["scripts"]
    assert re.findall(r"^Environment=(\w+)=", text, re.MULTILINE) == ["PYTHONDONTWRITEBYTECODE"] * text.count(
        "\nEnvironment="
    )
    assert "NoNewPrivileges=yes" in text


def test_the_agents_unit_has_the_limits_that_measuring_needs() -> None:
    text = (ROOT / "systemd" / "ngxlab-agent.service").read_text()
    assert {"LimitNOFILE=1048576", "TasksMax=65536", "MemoryMax=90%"} <= set(text.splitlines())


def test_the_backend_may_make_the_sandbox_in_which_pdfs_are_printed() -> None:
    """Tried by hand as an unprivileged user: bubblewrap needs each of these, and no part of /proc may be covered."""
    text = (ROOT / "systemd" / "ngxlab-backend@.service").read_text()
    assert re.search(r"^RestrictNamespaces=user mnt pid net ipc uts cgroup$", text, re.MULTILINE)
    assert re.search(r"^RestrictAddressFamilies=.*\bAF_NETLINK$", text, re.MULTILINE)
    assert not re.search(r"^(ProtectKernelTunables|ProtectProc|ProtectKernelLogs)=yes", text, re.MULTILINE)
