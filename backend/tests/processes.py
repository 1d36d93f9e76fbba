"""The real coordinator and real agents beside the backend under test, as processes of the test's own."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness import COORDINATOR_TOKEN, Agent, Backend
from ngxlab_worker.agent.credential import Credential


@contextmanager
def coordinator(backend: Backend, slots: int = 4) -> Iterator[None]:
    environment = {
        "NGXLAB_BACKEND_URL": backend.url,
        "NGXLAB_COORDINATOR_TOKEN": COORDINATOR_TOKEN,
        "NGXLAB_COORDINATOR_SLOTS": str(slots),
        "REDIS_URL": backend.settings.redis_url.get_secret_value(),
    }
    with _process(["coordinator"], environment):
        yield


@contextmanager
def agent(backend: Backend, host: Agent, *, code: Sequence[Path] = ()) -> Iterator["subprocess.Popen[bytes]"]:
    """An agent with the credential of ``host``, in a folder of its own. ``code``: folders of another version."""
    folder = Path(tempfile.mkdtemp(prefix="ngxlab-test-agent-", dir="/tmp"))
    folder.chmod(0o755)
    bearer = host.client.headers["Authorization"].removeprefix("Bearer ")
    broker = backend.settings.redis_url.get_secret_value()
    Credential(host_id=host.host_id, credential=bearer, backend_url=backend.url, broker_url=broker).save(folder)
    environment = {"NGXLAB_AGENT_DIR": str(folder), "NGXLAB_RUN_AS": _unprivileged_user()}
    if code:
        environment["PYTHONPATH"] = os.pathsep.join(map(str, code))
    try:
        with _process(["agent"], environment) as process:
            yield process
    finally:
        shutil.rmtree(folder)


@contextmanager
def _process(arguments: list[str], environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-m", "ngxlab_worker.cli", *arguments]
    process = subprocess.Popen(command, env={**os.environ, **environment})
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _unprivileged_user() -> str:
    """Whom nginx and wrk run as where the tests run as root."""
    if os.geteuid() != 0:
        return ""
    return next((entry.pw_name for entry in pwd.getpwall() if entry.pw_name == "ngxlab"), "nobody")
