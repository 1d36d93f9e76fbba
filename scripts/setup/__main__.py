"""``python3 -m scripts.setup [--dev | --demo]``: install what ngxlab needs and this machine lacks."""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from scripts import agent_bundle
from scripts.console import Failure, main_guard, say
from scripts.paths import BIN, ROOT
from scripts.setup import debian, frontend, native, other_python, python_env, users

MINIMUM_PYTHON = (3, 11)


def main() -> int:
    """Bring packages, users, the virtual environment, the load engines and the frontend's build up to date."""
    parser = argparse.ArgumentParser(prog="make setup", description=__doc__)
    parser.add_argument("--dev", action="store_true", help="also what tests and checks need")
    parser.add_argument("--demo", action="store_true", help="then run the demonstration, which starts beside the rest")
    options = parser.parse_args()
    if sys.version_info < MINIMUM_PYTHON:
        raise Failure(
            f"Python {sys.version.split()[0]} at {sys.executable} is too old",
            "install Python 3.11 or newer (Debian 12 and Ubuntu 24.04 have it), or name one: make PYTHON=/path/python3",
        )
    started = time.monotonic()
    debian.ensure_packages(dev=options.dev)
    users.ensure_users()
    python_env.ensure_node()
    with ThreadPoolExecutor(2) as beside:  # one waits for the network while the others compute
        pages = beside.submit(frontend.ensure, dev=options.dev)
        python_env.ensure(dev=options.dev)
        native.ensure()
        rest = [pages, beside.submit(agent_bundle.ensure)]
        if options.dev:
            rest.append(beside.submit(other_python.ensure))
        if options.demo:
            return _demonstration(lambda: [one.result() for one in rest])
        for one in rest:
            one.result()
    say(f"Set-up is complete ({time.monotonic() - started:.1f} s).")
    return 0


def _demonstration(finish_setup: Callable[[], object]) -> int:
    """Start ngxlab while ``finish_setup`` goes on, then let it measure: a line tells it that nothing else runs."""
    order = [str(BIN / "python"), "-m", "scripts.demo", "--when-told"]
    with subprocess.Popen(order, cwd=ROOT, stdin=subprocess.PIPE, text=True) as demo:
        assert demo.stdin is not None
        try:
            finish_setup()
            print("set up", file=demo.stdin, flush=True)
        except BrokenPipeError:
            pass  # it has ended, and said why
        finally:
            demo.stdin.close()
        return demo.wait()


sys.exit(main_guard(main))
