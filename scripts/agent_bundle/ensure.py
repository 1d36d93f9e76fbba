"""Build the bundle of this checkout where its inputs have changed."""

import sys

from scripts.agent_bundle.build import build
from scripts.console import run, step
from scripts.paths import BIN, LOCKS, ROOT, VENV
from scripts.stamps import content_hash, is_current, mark

FOLDER = VENV / "agent-bundle"
_INPUTS = (
    ROOT / "backend" / "contracts",
    ROOT / "backend" / "policy",
    ROOT / "worker",
    ROOT / "systemd" / "ngxlab-agent.service",
    ROOT / "scripts" / "agent_bundle",
    LOCKS / "worker.txt",
)


def ensure() -> None:
    """After the virtual environment and the load engines, whose programs it takes."""
    stamp, inputs = VENV / ".stamps" / "agent-bundle", content_hash(_INPUTS, sys.version)
    if is_current(stamp, inputs) and (FOLDER / "bundle.json").is_file():
        return
    with step("Agent for other hosts"):
        build(FOLDER, BIN / "python", BIN, run)
        mark(stamp, inputs)
