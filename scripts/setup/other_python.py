"""Another version of Python, by which tests ask whether it judges the same data alike; only where the machine has one.

No package registry has interpreters: what is looked for are those of the distribution and of pyenv, and whatever
``NGXLAB_OTHER_PYTHON`` names.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from scripts.console import run, step
from scripts.paths import BIN, LOCKS, VENV
from scripts.setup.python_env import NETWORK_HINT, tool_environment
from scripts.stamps import content_hash, is_current, mark

PLACE = VENV / "other-python"
PACKAGES = ("crossplane", "hdrhistogram", "numpy", "pydantic", "pytest", "scipy")
"""What the analysis and the tests' example runs import."""
_NEWEST, _OLDEST = 15, 11
"""The minor versions of Python 3 that are looked for."""


def ensure() -> None:
    """Make its environment, with the locked versions of packages. Does nothing where there is no other Python."""
    if (interpreter := _found()) is None:
        return
    inputs = content_hash([LOCKS / "dev.txt"], str(interpreter), *PACKAGES)
    if is_current(PLACE / ".stamp", inputs) and (PLACE / "bin" / "python").exists():
        return
    with step(f"Another Python, {interpreter}"):
        shutil.rmtree(PLACE, ignore_errors=True)
        environment = tool_environment()
        run([BIN / "uv", "venv", "--quiet", "--python", interpreter, PLACE], hint=NETWORK_HINT, env=environment)
        install: list[str | Path] = [BIN / "uv", "pip", "install", "--quiet", "--python", PLACE / "bin" / "python"]
        run([*install, "--constraints", LOCKS / "dev.txt", *PACKAGES], hint=NETWORK_HINT, env=environment)
        mark(PLACE / ".stamp", inputs)


def _found() -> Path | None:
    """The first that works, the newest first."""
    named = os.environ.get("NGXLAB_OTHER_PYTHON")
    return next((path for path in ([Path(named)] if named else _candidates()) if _is_other(path)), None)


def _candidates() -> Iterator[Path]:
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(_NEWEST, _OLDEST - 1, -1):
        if minor == sys.version_info.minor:
            continue
        yield from sorted(pyenv.glob(f"3.{minor}.*/bin/python3.{minor}"))
        if (in_path := shutil.which(f"python3.{minor}")) is not None:
            yield Path(in_path)


def _is_other(path: Path) -> bool:
    """Whether it runs, and is of another version than this one. A shim of pyenv may stand for a version not chosen."""
    command = [str(path), "-c", "import sys, venv; print(sys.version_info[:2])"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return False
    return answer.returncode == 0 and answer.stdout.strip() != str(sys.version_info[:2])
