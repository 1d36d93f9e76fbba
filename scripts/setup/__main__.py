"""``python3 -m scripts.setup [--dev]``: install what ngxlab needs on this machine and what is still missing."""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from scripts import agent_bundle
from scripts.console import Failure, main_guard, say
from scripts.setup import debian, frontend, native, python_env, users

MINIMUM_PYTHON = (3, 11)


def main() -> int:
    """Bring packages, users, the virtual environment, the load engines and the frontend's build up to date."""
    parser = argparse.ArgumentParser(prog="make setup", description=__doc__)
    parser.add_argument("--dev", action="store_true", help="also what tests and checks need")
    dev: bool = parser.parse_args().dev
    if sys.version_info < MINIMUM_PYTHON:
        raise Failure(
            f"Python {sys.version.split()[0]} at {sys.executable} is too old",
            "install Python 3.11 or newer (Debian 12 and Ubuntu 24.04 have it), or name one: make PYTHON=/path/python3",
        )
    started = time.monotonic()
    debian.ensure_packages(dev=dev)
    users.ensure_users()
    python_env.ensure_node()
    with ThreadPoolExecutor(1) as beside:  # one waits for the network while the other computes
        pages = beside.submit(frontend.ensure, dev=dev)
        python_env.ensure(dev=dev)
        native.ensure()
        agent_bundle.ensure()
        pages.result()
    say(f"Set-up is complete ({time.monotonic() - started:.1f} s).")
    return 0


sys.exit(main_guard(main))
