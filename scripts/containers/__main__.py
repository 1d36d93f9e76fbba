"""``make containers``: bring docker-compose.yml up for real, and hold it to what the documents say.

It builds the images, starts everything with TLS, runs an experiment, restarts, backs up and restores, lets a second
host join, brings up data of an earlier version, and removes all of it. It needs ``docker compose`` 2.23 and root.
"""

import argparse
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from scripts.console import Failure, main_guard, run, say, step
from scripts.containers import data, requirements
from scripts.containers.engine import ensure_stand_ins, own_engine
from scripts.containers.project import IMAGES, Project, project
from scripts.containers.second_host import NAME, joined_host
from scripts.testbed.netns import Fleet, why_unavailable


def main() -> int:
    options = _arguments()
    if (reason := why_unavailable()) is not None:
        raise Failure(f"the second host needs a network namespace: {reason}", "run it as root")
    with ExitStack() as stack:
        if options.own_engine or options.engine:
            stack.enter_context(own_engine(options.engine))
        _require_compose()
        if options.stand_ins:
            ensure_stand_ins()
        fleet = stack.enter_context(Fleet([NAME]))
        with project("ngxlab-tried", fleet.gateway) as tried:
            if options.engine is None:
                stack.callback(_remove_images)
            _try(tried, fleet)
        with (
            project("ngxlab-earlier", fleet.gateway) as older,
            step("Data of an earlier version come up by the images"),
        ):
            data.comes_up(older)
    say("The containers do what the documents say.")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make containers", description=__doc__)
    parser.add_argument(
        "--own-engine", action="store_true", help="start a Docker engine for this, in a folder of its own"
    )
    parser.add_argument("--engine", type=Path, metavar="FOLDER", help="likewise, and keep its images there")
    parser.add_argument(
        "--stand-ins", action="store_true", help="make the base images of Debian packages; only in an engine of its own"
    )
    options = parser.parse_args()
    if options.stand_ins and not (options.own_engine or options.engine):
        parser.error("--stand-ins would shadow the public images: add --own-engine")
    return options


def _require_compose() -> None:
    hint = "install docker.io and docker-compose (Debian 13), or Docker's own packages; or add ARGS=--own-engine"
    run(["docker", "compose", "version"], hint=hint)
    run(["docker", "info"], hint=hint)


def _try(tried: Project, fleet: Fleet) -> None:
    with step("Images"):
        tried.compose("build")
        requirements.say_sizes()
    with step("Everything up and healthy"):
        tried.up()
        requirements.all_are_healthy(tried)
        requirements.nobody_is_root(tried)
        requirements.nothing_is_left_of_the_build(tried)
        requirements.https_is_verified(tried)
        api = tried.stack()
        tried.compose("run", "--rm", "admin")
    with step("An experiment, to its verdict"):
        run_id = data.measure(api, api.idle_host("agent", 120))
        say(f"    {api.api('GET', f'/runs/{run_id}/report')['analysis']['headline']}")
    with step("Down and up again: the run is what it was"):
        data.survives_a_restart(tried, api, run_id)
    with step("A backup, restored: the run is what it was"):
        data.survives_a_restore(tried, api, run_id)
    with step("A second host joins over TLS and measures"), joined_host(tried, api, fleet) as host_id:
        data.measure(api, host_id)
    with step("A coordinator that stands still is unhealthy, and recovers"):
        requirements.a_frozen_service_is_unhealthy(tried)
    with step("No log has a secret"):
        requirements.no_log_has_a_secret(tried)


def _remove_images() -> None:
    subprocess.run(["docker", "image", "rm", *(f"{name}:tried" for name in IMAGES)], capture_output=True, check=False)


sys.exit(main_guard(main))
