"""A second host: an agent in a network namespace, which joins over TLS and verifies with its owner's authority."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.console import check
from scripts.containers.project import Project
from scripts.paths import BIN
from scripts.testbed.netns import Fleet
from scripts.testbed.stack import Stack

NAME = "outside"
WORKER = str(BIN / "ngxlab-worker")


@contextmanager
def joined_host(project: Project, stack: Stack, fleet: Fleet) -> Iterator[str]:
    """Its agent runs; the host's id."""
    folder = project.folder / NAME
    folder.mkdir(mode=0o711)
    project.folder.chmod(0o711)
    (project.folder / "secrets.env").chmod(0o600)
    unaware = {"PATH": os.environ["PATH"], "NGXLAB_AGENT_DIR": str(folder), "NGXLAB_RUN_AS": "ngxlab"}
    authority = str(project.certificates.authority)
    trusting = unaware | {"SSL_CERT_FILE": authority, "NGXLAB_BROKER_CA": authority}
    refused = _join(project, stack, fleet, unaware)
    check(
        refused.returncode != 0 and "certificate" in refused.stderr.lower(),
        f"a host without the authority was not refused: {refused.returncode} {refused.stdout}{refused.stderr}",
    )
    done = _join(project, stack, fleet, trusting)
    check(done.returncode == 0, f"the host could not join: {done.stderr}")
    agent = fleet.start(NAME, [WORKER, "agent"], trusting, Path("/"))
    try:
        yield stack.idle_host(NAME, 120)
    finally:
        agent.terminate()
        agent.wait(60)


def _join(
    project: Project, stack: Stack, fleet: Fleet, environment: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    token = stack.api("POST", "/hosts/enrolment-tokens", {"expires_in_minutes": 5})["token"]
    joining = fleet.command(NAME, [WORKER, "host", "join", project.https, "--name", NAME])
    return subprocess.run(joining, env=environment, input=token, capture_output=True, text=True, cwd="/", check=False)
