"""``make arm64``: build the load engines for arm64, and run their tests with an emulator in place of the processor."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.console import Failure, main_guard, run, say, step
from scripts.paths import BIN, ROOT
from scripts.setup.native import PROGRAMS, SOURCES

COMPILER = "aarch64-linux-gnu-gcc"
EMULATORS = ("qemu-aarch64-static", "qemu-aarch64")
PACKAGES = (
    "dpkg --add-architecture arm64; apt-get update; "
    "apt-get install gcc-aarch64-linux-gnu qemu-user libnghttp2-dev libssl-dev:arm64  (in a throwaway system)"
)

TESTS = ("native/test_page.py", "open_loop/test_response.py", "open_loop/test_schedule.py", "idle_hold/test_timers.py")
"""Those without nginx: its sandbox would have to show the emulator's files."""


def main() -> int:
    emulator = next(filter(None, map(shutil.which, EMULATORS)), None)
    if shutil.which(COMPILER) is None or emulator is None:
        raise Failure("there is no compiler or no emulator for arm64", PACKAGES)
    with tempfile.TemporaryDirectory(prefix="ngxlab-arm64-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with step("Load engines for arm64"):
            order: list[str | Path] = ["make", "--silent", "-C", SOURCES, f"CC={COMPILER}", f"OUT={folder}"]
            run(order, hint=f"the compiler's message is above; packages: {PACKAGES}")
        _wrap(folder, emulator)
        told = {"NGXLAB_TEST_CC": COMPILER, "NGXLAB_TEST_EMULATOR": emulator, "NGXLAB_TEST_PREFIX": name}
        tests = [f"worker/tests/engines/{test}" for test in TESTS]
        say("==> Their tests, emulated")
        command: list[str | Path] = [BIN / "pytest", "-n", "0", "--timeout=1800", *tests]
        return subprocess.run(command, cwd=ROOT, env=os.environ | told, check=False).returncode


def _wrap(folder: Path, emulator: str) -> None:
    """``bin/PROGRAM`` runs the program by the emulator, where this machine's kernel would not."""
    (folder / "bin").mkdir()
    for program in PROGRAMS:
        wrapper = folder / "bin" / program
        wrapper.write_text(f'#!/bin/sh\nexec {emulator} {folder}/{program} "$@"\n')
        wrapper.chmod(0o755)


if __name__ == "__main__":
    sys.exit(main_guard(main))
