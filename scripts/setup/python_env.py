"""The virtual environment: every package pinned and checked by its hash."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.console import run, step
from scripts.paths import BIN, LOCKS, ROOT, VENV
from scripts.stamps import content_hash, is_current, mark

PROJECTS = tuple(
    ROOT / part for part in ("backend/contracts", "backend/policy", "backend/verdict", "backend", "worker", "cli")
)
VERSION_FILE = ROOT / "backend" / "contracts" / "ngxlab_contracts" / "version.py"
NETWORK_HINT = "is the package index reachable (proxy settings, certificates)? Then run the same command again."


def ensure(*, dev: bool) -> None:
    """Install into ``.venv`` what ``locks/`` lists, and the repository's own packages as editable installs.

    The development set contains the runtime set, so a current development environment serves both.
    """
    _ensure_venv()
    if not _is_current("dev") and (dev or not _is_current("runtime")):
        kind = "dev" if dev else "runtime"
        with step(f"Python packages ({kind})"):
            _ensure_uv()
            _install(kind)
            mark(_stamp(kind), _inputs(kind))
    # Services run as users who cannot write here: each start of one would compile 800 files again.
    run(
        [BIN / "python", "-m", "compileall", "-q", "-x", r"/tests/|\.venv|/dist/", *PROJECTS],
        hint="look at the message above: a file of the sources may be broken",
    )


def ensure_node() -> None:
    """Node, which comes as a Python package, before all others: the frontend's packages can then come beside them."""
    _ensure_venv()
    if (BIN / "node").exists():
        return
    with step("Node"):
        _ensure_uv()
        install: list[str | Path] = [BIN / "uv", "pip", "install", "--python", BIN / "python", "--require-hashes"]
        run([*install, "-r", LOCKS / "node.txt"], hint=NETWORK_HINT, env=tool_environment())


def tool_environment() -> dict[str, str]:
    """Environment for package clients: they use the system's certificates."""
    return {"UV_SYSTEM_CERTS": "1", "NODE_USE_SYSTEM_CA": "1", "UV_LINK_MODE": "copy", "NO_COLOR": "1"} | os.environ


def _ensure_venv() -> None:
    interpreter = _system_python()
    config = VENV / "pyvenv.cfg"
    homes = [line for line in config.read_text().splitlines() if line.startswith("home")] if config.is_file() else []
    made_from = homes[0].partition("=")[2].strip() if homes else None
    if made_from == str(interpreter.parent) and _runs(BIN / "python"):
        return
    with step(f"Virtual environment from {interpreter}"):
        if VENV.exists():
            shutil.rmtree(VENV)
        run([interpreter, "-m", "venv", VENV], hint="the Debian package python3-venv is needed")


def _system_python() -> Path:
    """The Python outside of any virtual environment, also when this code runs inside one."""
    if sys.prefix == sys.base_prefix:
        return Path(sys.executable)
    return Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"


def _runs(python: Path) -> bool:
    """Whether the environment's Python works and has this Python's version: an upgrade of the system's breaks it."""
    if not python.exists():
        return False
    asked = [str(python), "-c", "import platform; print(platform.python_version())"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return answer.rpartition(".")[0] == platform.python_version().rpartition(".")[0]


def _ensure_uv() -> None:
    wanted = (LOCKS / "uv.txt").read_text().split()[0].removeprefix("uv==")
    stamp = VENV / ".stamps" / "uv"
    if is_current(stamp, wanted) and (BIN / "uv").exists():
        return
    run(
        [BIN / "python", "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps", "-r", LOCKS / "uv.txt"],
        hint=NETWORK_HINT,
        env=tool_environment(),
    )
    mark(stamp, wanted)


def _install(kind: str) -> None:
    install: list[str | Path] = [BIN / "uv", "pip", "install", "--python", BIN / "python"]
    run(
        [*install, "--require-hashes", "--compile-bytecode", "-r", LOCKS / f"{kind}.txt"],
        hint=NETWORK_HINT, env=tool_environment(),
    )  # fmt: skip
    editable = [part for project in PROJECTS for part in ("-e", str(project))]
    run(
        [*install, "--no-deps", "--no-build-isolation", "--offline", *editable],
        hint="look at the message above; a pyproject.toml of the repository may be broken", env=tool_environment(),
    )  # fmt: skip


def _stamp(kind: str) -> Path:
    return VENV / ".stamps" / kind


def _inputs(kind: str) -> str:
    return content_hash([LOCKS / f"{kind}.txt", *(project / "pyproject.toml" for project in PROJECTS), VERSION_FILE])


def _is_current(kind: str) -> bool:
    return is_current(_stamp(kind), _inputs(kind))
