"""``python -m scripts.agent_bundle OUT PROGRAMS``: the bundle into a folder, e.g. of an image, with this Python."""

import sys
from pathlib import Path

from scripts.agent_bundle.build import build
from scripts.console import main_guard


def main() -> int:
    """``PROGRAMS``: the folder of the load engines' programs."""
    build(Path(sys.argv[1]), Path(sys.executable), Path(sys.argv[2]))
    return 0


sys.exit(main_guard(main))
