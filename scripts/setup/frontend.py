"""The frontend's build, made with the Node that comes with the Python packages."""

import os
from pathlib import Path

from scripts.console import run, say, step
from scripts.paths import BIN, FRONTEND
from scripts.setup.python_env import NETWORK_HINT, tool_environment
from scripts.stamps import content_hash, is_current, mark

MODULES = FRONTEND / "node_modules"
RELEASED = "RELEASED"
"""The file in ``dist`` of a release's archive, which brings the build. A build of one's own removes it."""


def ensure(*, dev: bool) -> None:
    """Install the locked packages and build the frontend; each step only where its inputs have changed.

    ``dev``: also the packages that only tests and checks need; where they are, they stay.
    """
    if (FRONTEND / "dist" / RELEASED).is_file() and not dev:
        return
    if not (FRONTEND / "package-lock.json").is_file():
        say("    no frontend in this checkout: skipped")
        return
    environment = tool_environment() | {"PATH": f"{BIN}:{os.environ.get('PATH', os.defpath)}"}
    packages = content_hash([FRONTEND / "package.json", FRONTEND / "package-lock.json"])
    stamps = {kind: MODULES / f".stamp-packages-{kind}" for kind in ("dev", "runtime")}
    if not (is_current(stamps["dev"], packages) or (not dev and is_current(stamps["runtime"], packages))):
        with step("Frontend packages"):
            install: list[str | Path] = [BIN / "npm", "ci", "--no-audit", "--no-fund"]
            run(install if dev else [*install, "--omit=dev"], cwd=FRONTEND, env=environment, hint=NETWORK_HINT)
            mark(stamps["dev" if dev else "runtime"], packages)
    sources = content_hash([FRONTEND])
    if not (is_current(MODULES / ".stamp-build", sources) and (FRONTEND / "dist" / "index.html").is_file()):
        with step("Frontend build"):
            run(
                [BIN / "npm", "run", "build"], cwd=FRONTEND, env=environment,
                hint="look at the compiler's message above",
            )  # fmt: skip
            mark(MODULES / ".stamp-build", sources)
