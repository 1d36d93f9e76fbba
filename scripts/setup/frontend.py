"""The frontend's build, made with the Node that comes with the Python packages."""

import os

from scripts.console import run, say, step
from scripts.paths import BIN, FRONTEND
from scripts.setup.python_env import NETWORK_HINT, tool_environment
from scripts.stamps import content_hash, is_current, mark

MODULES = FRONTEND / "node_modules"
RELEASED = "RELEASED"
"""The file in ``dist`` of a release's archive, which brings the build. A build of one's own removes it."""


def ensure(*, dev: bool) -> None:
    """Install the locked packages and build the frontend; each step only where its inputs have changed."""
    if (FRONTEND / "dist" / RELEASED).is_file() and not dev:
        return
    if not (FRONTEND / "package-lock.json").is_file():
        say("    no frontend in this checkout: skipped")
        return
    environment = tool_environment() | {"PATH": f"{BIN}:{os.environ.get('PATH', os.defpath)}"}
    packages = content_hash([FRONTEND / "package.json", FRONTEND / "package-lock.json"])
    if not is_current(MODULES / ".stamp-packages", packages):
        with step("Frontend packages"):
            run([BIN / "npm", "ci", "--no-audit", "--no-fund"], cwd=FRONTEND, env=environment, hint=NETWORK_HINT)
            mark(MODULES / ".stamp-packages", packages)
    sources = content_hash([FRONTEND])
    if not (is_current(MODULES / ".stamp-build", sources) and (FRONTEND / "dist" / "index.html").is_file()):
        with step("Frontend build"):
            run(
                [BIN / "npm", "run", "build"], cwd=FRONTEND, env=environment,
                hint="look at the compiler's message above",
            )  # fmt: skip
            mark(MODULES / ".stamp-build", sources)
