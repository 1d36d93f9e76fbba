"""Processes are told apart by more than their number."""

import dataclasses
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.console import Failure
from scripts.stack.commands import require_free
from scripts.stack.processes import ProcessId, end, living

SLEEPER = [sys.executable, "-c", "print(flush=True); import time; time.sleep(600)"]
STUBBORN = [
    sys.executable, "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)",
]  # fmt: skip


@pytest.fixture
def child(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[bytes]]:
    command: list[str] = getattr(request, "param", SLEEPER)
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def test_a_process_is_known_again_from_its_pid_file(child: subprocess.Popen[bytes], tmp_path: Path) -> None:
    known = ProcessId.of(child.pid)
    assert known is not None
    known.write(tmp_path / "child.pid")
    assert living(tmp_path) == {"child": known}


def test_a_pid_that_was_used_again_is_not_ours(child: subprocess.Popen[bytes], tmp_path: Path) -> None:
    now = ProcessId.of(child.pid)
    assert now is not None
    earlier = dataclasses.replace(now, start_ticks=now.start_ticks - 1)
    earlier.write(tmp_path / "child.pid")
    end([earlier], signal.SIGKILL, 1)
    assert living(tmp_path) == {}
    assert child.poll() is None


def test_a_zombie_does_not_live(child: subprocess.Popen[bytes]) -> None:
    known = ProcessId.of(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert known is not None
    assert not known.alive()


@pytest.mark.parametrize("child", [STUBBORN], indirect=True)
def test_who_ignores_the_request_is_killed(child: subprocess.Popen[bytes]) -> None:
    known = ProcessId.of(child.pid)
    assert known is not None
    end([known], signal.SIGTERM, 0.2)
    assert child.wait(5) == -signal.SIGKILL


def test_a_cut_off_pid_file_is_no_process(tmp_path: Path) -> None:
    (tmp_path / "child.pid").write_text('{"pid": 1')
    assert living(tmp_path) == {}


def test_a_port_in_use_is_named_with_its_owner_and_setting() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Failure, match=rf"port {port} is already in use by .*\(pid {os.getpid()}\)") as caught:
            require_free("127.0.0.1", port, "NGXLAB_PORT")
        assert "NGXLAB_PORT" in caught.value.hint
    require_free("127.0.0.1", port, "NGXLAB_PORT")
