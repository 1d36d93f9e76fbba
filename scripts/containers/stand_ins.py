"""Base images made of Debian's packages, called like the public ones, for an engine that reaches no registry."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from scripts.console import run, say, step
from scripts.paths import ROOT
from scripts.systems.roots import make_root
from scripts.systems.system import SYSTEMS

BASE = "ngxlab-debian"
TARGETS = {"PYTHON_IMAGE": "python", "NGINX_IMAGE": "nginx", "REDIS_IMAGE": "redis", "POSTGRES_IMAGE": "postgres"}


KEEP_NOTHING = 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };\n'
"""As the public images of Debian have it: apt keeps no packages."""


def public_names() -> dict[str, str]:
    """The base images that docker-compose.yml names, by their variable."""
    return dict(re.findall(r"\$\{(\w+_IMAGE):-([^}]+)\}", (ROOT / "docker-compose.yml").read_text()))


def ensure() -> None:
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
