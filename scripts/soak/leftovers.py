"""What a trial may leave on a host: processes (and with them ports and namespaces), folders, mounts, loop devices,
control groups. Other work on the same machine is none of this test's business, so all is looked up by the trial."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from scripts.stack.waiting import wait_until
from scripts.testbed.stack import Stack

PATIENCE_S = 60


def await_none(stack: Stack, trial_id: str) -> None:
    """Raises TimeoutError for what is still there a minute after its trial."""
    found: list[str] = []

    def clean() -> bool:
        found[:] = _left(stack, trial_id)
        return not found

    try:
        wait_until(clean, "the end of all that a trial had started", PATIENCE_S)
    except TimeoutError as error:
        raise TimeoutError(f"trial {trial_id} has left {found}") from error


def _left(stack: Stack, trial_id: str) -> Iterator[str]:
    yield from (f"process {pid}" for pid in stack.processes_of_trial(trial_id))
    folder = stack.trial_folder(trial_id)
    if folder.exists():
        yield f"folder {folder}"
    yield from (f"mount {line}" for line in Path("/proc/mounts").read_text().splitlines() if str(folder) in line)
    yield from (f"loop device {line}" for line in _loop_devices() if str(folder) in line)
    yield from (f"control group {path}" for path in Path("/sys/fs/cgroup").glob(f"**/*{trial_id}*"))


def _loop_devices() -> list[str]:
    done = subprocess.run(["losetup", "--list", "--noheadings"], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()
