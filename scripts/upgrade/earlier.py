"""A checkout of an earlier commit with an environment of its own, and its stack."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ngxlab_worker.nginx.ports import free_ports

from scripts.console import run, step
from scripts.paths import ROOT
from scripts.testbed.stack import Stack

LAST_WITH_THE_OLD_WORDS = "2a918c6b44adea020f1c8c4bf083f96da16929f4"
"""Before stored documents were renamed (schema 0005): every later migration has something to do."""

_SET_UP = "from scripts.setup import native, python_env; python_env.ensure(dev=False); native.ensure()"
"""Without its pages, which are not among what is kept."""


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """The files of ``commit`` with all that its services need, in a folder that other users' services can reach."""
    with TemporaryDirectory(prefix="ngxlab-earlier-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "--extract", "--directory", folder], input=archive, check=True)
        with step(f"Environment of {commit[:12]}"):
            run([sys.executable, "-c", _SET_UP], cwd=folder, hint="see the message above")
        yield folder


@contextmanager
def data_folder() -> Iterator[Stack]:
    """A stack that nobody has started yet."""
    with TemporaryDirectory(prefix="nl-up-", dir="/tmp") as name:
        parent = Path(name)
        parent.chmod(0o711)  # PostgreSQL's user must be able to pass through
        names = ("NGXLAB_PORT", "NGXLAB_POSTGRES_PORT", "NGXLAB_REDIS_PORT")
        ports = dict(zip(names, map(str, free_ports(3, "127.0.0.1")), strict=True))
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("NGXLAB_", "DATABASE_URL", "REDIS_URL"))}
        environment = inherited | ports | {"NGXLAB_DATA_DIR": str(parent / "data")}
        yield Stack(f"http://127.0.0.1:{ports['NGXLAB_PORT']}", parent / "data", environment, "admin@localhost", "")


def order(code: Path, environment: Mapping[str, str], *words: str) -> str:
    """``python -m scripts.stack WORDS`` of the checkout ``code``; what it prints."""
    stack: list[str | Path] = [code / ".venv" / "bin" / "python", "-m", "scripts.stack", *words]
    return run(stack, cwd=code, env=environment, hint="see the message above")
