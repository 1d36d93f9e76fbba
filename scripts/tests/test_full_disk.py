"""A full data disk costs no service for good: what fails is named, and comes back once there is room."""

import json
import os
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.paths import BIN
from scripts.stack.settings import parse_env_file
from scripts.stack.waiting import wait_until
from scripts.tests.installation import SERVICES, Installation, installation

DISK_BYTES = 400 << 20
pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk"),
]


@pytest.fixture
def stack() -> Iterator[Installation]:
    """Up, with its data on a disk of its own."""
    disk = Path(tempfile.mkdtemp(prefix="ngxlab-disk-", dir="/tmp"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=0755", "tmpfs", disk], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        disk.rmdir()
        pytest.skip(f"cannot mount a disk here: {mounted.stderr.decode()}")
    try:
        with installation(disk) as made:
            up = made.order("up")
            assert up.returncode == 0, up.stderr
            yield made
    finally:
        subprocess.run(["umount", disk], check=True)
        disk.rmdir()


def fill(folder: Path) -> Path:
    """A file that takes every free byte."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1 << 20))
        except OSError:
            pass
        try:
            while True:
                file.write(bytes(512))
        except OSError:
            pass
    return ballast


def readiness(stack: Installation) -> Any:
    try:
        with urllib.request.urlopen(f"{stack.url}/readyz", timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)


def write_ahead(stack: Installation) -> None:
    """Have PostgreSQL write more log than its segment holds: it needs a new one."""
    password = parse_env_file(stack.data / "secrets.env")["POSTGRES_PASSWORD"]
    url = f"postgresql://ngxlab_app:{password}@127.0.0.1:{stack.ports['NGXLAB_POSTGRES_PORT']}/ngxlab"
    statement = "SELECT pg_logical_emit_message(false, 'filler', repeat('x', 1000000)) FROM generate_series(1, 150)"
    done = subprocess.run(["psql", url, "-c", statement], check=False, capture_output=True, text=True)
    assert done.returncode != 0, "the disk is not full"


def pid_of(stack: Installation, service: str) -> int:
    """The process as supervisord knows it: on a full disk, its pid file may be an old one. 0: it does not run."""
    asked = [str(BIN / "supervisorctl"), "-s", f"unix://{stack.data}/run/supervisor.sock", "pid", service]
    return int(subprocess.run(asked, check=False, capture_output=True, text=True).stdout)


def test_services_outlive_a_full_disk_and_recover_by_themselves(stack: Installation) -> None:
    before = stack.processes()
    assert before.keys() == SERVICES | {"supervisord"}
    ballast = fill(stack.data)
    write_ahead(stack)
    # Without room for its log PostgreSQL crashes; whether its main process then ends, too, depends on the moment.
    for name in ("postgres", "redis", "coordinator"):
        before[name].send(signal.SIGKILL)

    def restarted(name: str) -> bool:
        return pid_of(stack, name) not in {0, before[name].pid}

    wait_until(lambda: restarted("redis") and restarted("coordinator"), "new processes on a full disk")
    assert before["supervisord"].alive()
    assert before["backend"].alive()
    assert before["agent"].alive()
    status = stack.order("status")
    assert status.returncode == 1
    assert "disk full: 0 MiB are free" in status.stdout
    assert "disk full: 0 MiB are free" in readiness(stack)["parts"]["disk"]
    refused = stack.order("up")
    assert refused.returncode == 1
    assert "disk full" in refused.stderr

    ballast.unlink()
    wait_until(lambda: stack.order("status").returncode == 0, "every service healthy again", seconds=60)
    assert readiness(stack)["ready"]
    assert before["supervisord"].alive()
    assert before["backend"].alive()
