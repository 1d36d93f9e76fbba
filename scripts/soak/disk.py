"""A file system of its own for the agent's folder, so that it can be filled without harm to this machine."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.testbed.stack import Stack

SIZE = "64m"


@contextmanager
def small_disk(stack: Stack) -> Iterator[Path | None]:
    """Move the agent's folder to a small tmpfs; ``None`` where this may not be done, since it needs root."""
    if os.geteuid() != 0:
        yield None
        return
    folder = stack.data / "agent"
    aside = folder.with_name("agent.aside")
    stack.supervise("stop", "agent")
    mode = folder.stat().st_mode & 0o7777
    folder.rename(aside)
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode={mode:o}", "tmpfs", folder], check=True)
    try:
        shutil.copytree(aside, folder, dirs_exist_ok=True)
        stack.supervise("start", "agent")
        yield folder
    finally:
        stack.supervise("stop", "agent")
        subprocess.run(["umount", folder], check=True)
        shutil.rmtree(aside)
