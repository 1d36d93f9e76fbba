"""The server that ``make up`` starts on this machine, in the checkout of ngxlab that this command is part of."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from ngxlab_cli.errors import UnreachableError

HINT = "`make up` in a checkout of ngxlab starts one on this machine, which its .venv/bin/ngxlab finds by itself"


class LocalStack(NamedTuple):
    """``token`` is that of the stack's own tools, never to be printed; empty where this user may not read it."""

    url: str
    token: str


def running() -> LocalStack | None:
    """What answers here; ``None`` where nothing does, or where this command is not part of a checkout."""
    if (checkout := _checkout()) is None:
        return None
    asked = subprocess.run(
        [sys.executable, "-m", "scripts.stack", "access"], cwd=checkout, stdout=subprocess.PIPE, text=True, check=False
    )
    return LocalStack(**json.loads(asked.stdout)) if asked.returncode == 0 else None


def started() -> LocalStack | None:
    """Start it by ``make up``, which reports on standard error. ``None`` where this is no checkout.

    Raises ``UnreachableError`` where it does not start.
    """
    if (checkout := _checkout()) is None:
        return None
    sys.stderr.write("No server is named, and none runs here: starting one on this machine (stop it with make down).\n")
    if subprocess.run(["make", "up"], cwd=checkout, stdout=sys.stderr, check=False).returncode == 0 and (
        found := running()
    ):
        return found
    raise UnreachableError(f"ngxlab could not be started here: see above, then run `make up` in {checkout} again")


def _checkout() -> Path | None:
    """The checkout in whose virtual environment this command is installed."""
    folder = Path(sys.prefix).parent
    return folder if (folder / "scripts" / "stack" / "__main__.py").is_file() else None
