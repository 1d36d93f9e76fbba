"""A Docker engine of this tool's own: in a folder, without changes to the machine's firewall, ended at the end.

Stand-ins are base images made of Debian's packages, called like the public ones, where no registry is reached.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.console import Failure, run, say, step
from scripts.paths import ROOT
from scripts.stack.waiting import wait_healthy
from scripts.systems.roots import SYSTEMS, make_root

STARTS_WITHIN_S = 120
ENDS_WITHIN_S = 120

OPTIONS = ("--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--log-level=warn")
"""Nothing outside of its networks: those are bridges, which ``docker compose down`` removes. Only builds reach further,
through the machine's own network."""
BASE = "ngxlab-debian"
TARGETS = {"PYTHON_IMAGE": "python", "NGINX_IMAGE": "nginx", "REDIS_IMAGE": "redis", "POSTGRES_IMAGE": "postgres"}


KEEP_NOTHING = 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };\n'
"""As the public images of Debian have it: apt keeps no packages."""


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


def public_names() -> dict[str, str]:
    """The base images that docker-compose.yml names, by their variable."""
    return dict(re.findall(r"\$\{(\w+_IMAGE):-([^}]+)\}", (ROOT / "docker-compose.yml").read_text()))


def ensure_stand_ins() -> None:
    """Make those that the engine does not have."""
    names = public_names()
    missing = [variable for variable in TARGETS if not _is_there(names[variable])]
    if not missing:
        return
    if not _is_there(BASE):
        _make_base()
    for variable in missing:
        with step(f"Stand-in for {names[variable]}"):
            run(
                ["docker", "build", "--quiet", "--network=host", f"--target={TARGETS[variable]}",
                 f"--tag={names[variable]}", "--file=docker/stand-ins/Dockerfile", "."],
                cwd=ROOT, hint="see the message above",
            )  # fmt: skip
    say("    These are Debian's packages, not the public images: their entry points were not tried.")


def _is_there(image: str) -> bool:
    return subprocess.run(["docker", "image", "inspect", image], capture_output=True, check=False).returncode == 0


def _make_base() -> None:
    root = Path(tempfile.mkdtemp(prefix="ngxlab-base-", dir="/var/tmp"))
    try:
        make_root(SYSTEMS["trixie"], root, packages=("ca-certificates",))
        (root / "usr" / "sbin" / "policy-rc.d").unlink()
        for folder in ("var/cache/apt/archives", "var/lib/apt/lists"):
            shutil.rmtree(root / folder)
        (root / "etc" / "apt" / "apt.conf.d" / "keep-nothing").write_text(KEEP_NOTHING)
        certificates = "ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt"
        with subprocess.Popen(["tar", "--create", "--directory", root, "."], stdout=subprocess.PIPE) as packed:
            order = ["docker", "import", "--change", certificates, "-", BASE]
            subprocess.run(order, stdin=packed.stdout, stdout=subprocess.DEVNULL, check=True)
    finally:
        shutil.rmtree(root)
