"""The dead man's switch itself, whoever hits it. What it is for is tested with a whole agent (test_stopped_agent)."""

import os
import signal
from pathlib import Path

import pytest
from ngxlab_worker.sandbox import lifeline
from ngxlab_worker.sandbox.process import children


def _switch() -> int:
    (found,) = (
        pid for pid in children(os.getpid()) if b"dead_mans_switch" in Path(f"/proc/{pid}/cmdline").read_bytes()
    )
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP, signal.SIGHUP])
def test_a_switch_that_is_hit_holds_up_no_work_and_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    with lifeline(tmp_path / "report"):
        switch = _switch()
        os.kill(switch, number)
    assert not Path(f"/proc/{switch}").exists()
    assert not (tmp_path / "report").exists()
