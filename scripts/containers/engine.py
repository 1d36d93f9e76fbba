"""A Docker engine of this tool's own: in a folder, without changes to the machine's firewall, ended at the end."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.console import Failure, step
from scripts.stack.waiting import wait_healthy

STARTS_WITHIN_S = 120
ENDS_WITHIN_S = 120

OPTIONS = ("--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--log-level=warn")
"""Nothing outside of its networks: those are bridges, which ``docker compose down`` removes. Only builds reach further,
through the machine's own network."""


@contextmanager
def own_engine(kept: Path | None) -> Iterator[None]:
    """While it runs, ``docker`` means this engine, here and in child processes. ``kept``: a folder for its images."""
    if shutil.which("dockerd") is None:
        raise Failure("there is no dockerd", "apt-get install docker.io")
    folder = Path(tempfile.mkdtemp(prefix="ngxlab-engine-", dir="/var/tmp"))
    data = folder / "data" if kept is None else kept
    address = f"unix://{folder}/docker.sock"
    command = ["dockerd", f"--host={address}", f"--data-root={data}", f"--exec-root={folder}/run",
               f"--pidfile={folder}/pid", *OPTIONS]  # fmt: skip
    try:
        with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as engine:
            try:
                os.environ["DOCKER_HOST"] = address
                with step("A Docker engine of its own"):
                    _wait(engine, folder / "log")
                yield
            finally:
                engine.terminate()
                engine.wait(ENDS_WITHIN_S)
    finally:
        os.environ.pop("DOCKER_HOST", None)
        if f" {data} " in Path("/proc/self/mounts").read_text():  # dockerd may make a mount of it
            subprocess.run(["umount", data], check=True)
        shutil.rmtree(folder)


def _wait(engine: "subprocess.Popen[bytes]", log: Path) -> None:
    def ask() -> str | None:
        if engine.poll() is not None:
            raise Failure(f"dockerd ended:\n{log.read_text()[-2000:]}", "it needs root, control groups and overlayfs")
        answer = subprocess.run(["docker", "info"], capture_output=True, text=True, check=False)
        return None if answer.returncode == 0 else answer.stderr.strip()

    if (complaint := wait_healthy(ask, STARTS_WITHIN_S)) is not None:
        raise Failure(f"dockerd does not answer: {complaint}", f"see {log}")
