"""``make upgrade-from COMMIT=…``: start the stack of an earlier commit, measure a run, and bring it up as of today."""

import argparse
import subprocess
import sys
from pathlib import Path

from scripts.console import main_guard, say, step
from scripts.paths import ROOT
from scripts.stack.postgres_roles import DATABASE, FORMER, OWNER
from scripts.stack.settings import parse_env_file
from scripts.testbed.stack import Stack
from scripts.upgrade.earlier import LAST_WITH_THE_OLD_WORDS, checkout, data_folder, order
from scripts.upgrade.questions import PARAMETERS, ask


def main() -> int:
    parser = argparse.ArgumentParser(prog="make upgrade-from", description=__doc__)
    parser.add_argument("commit", nargs="?", default=LAST_WITH_THE_OLD_WORDS)
    parser.add_argument("--dump", type=Path, help="also write the earlier database, in pg_dump's custom format")
    options = parser.parse_args()
    with checkout(options.commit) as code, data_folder() as stack:
        run_id = _measure(stack, code, options.dump)
        try:
            with step("The same data, brought up by this version"):
                order(ROOT, stack.environment, "up")
            with step("What was measured is read, and its experiment runs again"):
                ask(stack, run_id)
        finally:
            order(ROOT, stack.environment, "down")
    say("The upgrade keeps everything.")
    return 0


def _measure(stack: Stack, code: Path, dump: Path | None) -> str:
    """A finished run of the earlier stack, which is stopped then; the run's id."""
    try:
        with step("The earlier stack"):
            order(code, stack.environment, "up")
        with step("Its run"):
            run_id = stack.start_run(**PARAMETERS)
            stack.wait_for_end(run_id, seconds=240)
        if dump is not None:
            _write_dump(stack, dump)
    finally:
        order(code, stack.environment, "down")
    return run_id


def _write_dump(stack: Stack, dump: Path) -> None:
    secrets = parse_env_file(stack.data / "secrets.env")
    owner = (OWNER, secrets["POSTGRES_OWNER_PASSWORD"]) if "POSTGRES_OWNER_PASSWORD" in secrets else None
    user, password = owner or (FORMER, secrets["POSTGRES_PASSWORD"])
    port = stack.environment["NGXLAB_POSTGRES_PORT"]
    command = ["pg_dump", "--host=127.0.0.1", f"--port={port}", f"--username={user}", "--format=custom",
               "--compress=9", "--no-owner", "--no-privileges", f"--file={dump}", DATABASE]  # fmt: skip
    subprocess.run(command, env=stack.environment | {"PGPASSWORD": password}, check=True)


sys.exit(main_guard(main))
