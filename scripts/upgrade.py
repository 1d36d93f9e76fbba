"""``make upgrade-from COMMIT=…``: start the stack of an earlier commit, measure a run, and bring it up as of today.

:func:`ask` says what must hold of a stack with a finished run, whatever version measured it.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scripts.console import check, main_guard, run, say, step
from scripts.paths import ROOT
from scripts.stack.postgres import DATABASE, OWNER
from scripts.stack.settings import parse_env_file
from scripts.testbed.stack import Stack, order, unstarted_stack

LAST_BEFORE_0_9 = "dd50f43b"

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


PARAMETERS = {"blocks": 2, "warmup_s": 1, "measure_s": 3, "cooldown_s": 0}
ARMS = {"mutex-on", "mutex-off", "reuseport"}


def ask(stack: Stack, run_id: str) -> None:
    """Raises :class:`Failure` with what cannot be read, or not be measured again."""
    measured = stack.run(run_id)
    check(measured["state"] == "completed", f"the run is {measured['state']}")
    check(_completed(measured) == ARMS, f"its completed trials are of {_completed(measured)}")
    _ask_for_report(stack, run_id)
    for trial in measured["trials"]:
        series = stack.api("GET", f"/trials/{trial['id']}/series")["series"]
        check(any(one["points"] for one in series), f"trial {trial['id']} has no points")
        kept = {file["name"] for file in stack.api("GET", f"/trials/{trial['id']}/artefacts")["items"]}
        check("nginx.conf" in kept, f"trial {trial['id']} has only the files {kept}")
    _measure_again(stack, measured["experiment_id"])


def _ask_for_report(stack: Stack, run_id: str) -> None:
    analysis = stack.api("GET", f"/runs/{run_id}/report")["analysis"]
    check(bool(analysis["headline"]), "its report has no headline")
    usable = {arm["key"]: arm["usable_trials"] for arm in analysis["arms"]}
    check(usable == dict.fromkeys(ARMS, PARAMETERS["blocks"]), f"its report has usable trials {usable}")
    rates = [one for arm in analysis["arms"] for one in arm["metrics"] if one["metric"] == "requests_per_s"]
    check(len(rates) == len(ARMS) and all(one["mean"] > 0 for one in rates), f"its report has rates {rates}")


def _measure_again(stack: Stack, experiment_id: str) -> None:
    """The stored experiment is still one that can be run."""
    again = stack.api("POST", f"/experiments/{experiment_id}/runs", {"host_id": stack.idle_host()})
    ended = stack.completed(again["id"], seconds=240)
    check(_completed(ended) == ARMS, "its experiment, run again, lacks arms")


def _completed(measured: Any) -> set[str]:
    return {trial["arm"] for trial in measured["trials"] if trial["state"] == "completed"}


def main() -> int:
    parser = argparse.ArgumentParser(prog="make upgrade-from", description=__doc__)
    parser.add_argument("commit", nargs="?", default=LAST_BEFORE_0_9)
    parser.add_argument("--dump", type=Path, help="also write the earlier database, in pg_dump's custom format")
    options = parser.parse_args()
    with checkout(options.commit) as code, unstarted_stack() as stack:
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
    port = stack.environment["NGXLAB_POSTGRES_PORT"]
    command = ["pg_dump", "--host=127.0.0.1", f"--port={port}", f"--username={OWNER}", "--format=custom",
               "--compress=9", "--no-owner", "--no-privileges", f"--file={dump}", DATABASE]  # fmt: skip
    environment = stack.environment | {"PGPASSWORD": secrets["POSTGRES_OWNER_PASSWORD"]}
    subprocess.run(command, env=environment, check=True)


if __name__ == "__main__":
    sys.exit(main_guard(main))
