"""``make systems ARGS="trixie -- make demo"``: run a command in a fresh clone of this commit, on a fresh system."""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scripts.console import Failure, main_guard, run, say, step
from scripts.paths import ROOT
from scripts.systems.roots import SYSTEMS, make_root

CLONE = Path("srv/ngxlab")
PORTS = ("NGXLAB_PORT", "NGXLAB_POSTGRES_PORT", "NGXLAB_REDIS_PORT")
DEFAULT = ["make", "demo"]


def main() -> int:
    options, command = _arguments()
    if os.geteuid() != 0:
        raise Failure("a root with mounts of its own needs root", "run it as root")
    with _folder(options.root) as root:
        if not (root / "etc").exists():
            make_root(SYSTEMS[options.suite], root)
        _clone(root)
        if options.packages:
            _install(root, options.packages.split(","))
        say(f"==> {' '.join(command)}   (on {SYSTEMS[options.suite].name})")
        done = _enter(root, ["sh", "-euc", f'cd /{CLONE} && exec "$@"', "sh", *command])
    say(f"{SYSTEMS[options.suite].name}: {' '.join(command)} exited with {done}")
    return done


def _arguments() -> tuple[argparse.Namespace, list[str]]:
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(prog="make systems", description=__doc__)
    parser.add_argument("suite", choices=SYSTEMS)
    parser.add_argument("--root", type=Path, help="keep the system in this folder, or use the one that is there")
    parser.add_argument("--packages", help="more packages to install first, separated by commas")
    return parser.parse_args(words[:cut]), words[cut + 1 :] or DEFAULT


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    # Not in /tmp, which may be small, or be mounted without devices.
    made = Path(tempfile.mkdtemp(prefix="ngxlab-system-", dir="/var/tmp"))
    try:
        made.chmod(0o755)
        yield made
    finally:
        shutil.rmtree(made)


def _clone(root: Path) -> None:
    with step("A fresh clone of this commit"):
        shutil.rmtree(root / CLONE, ignore_errors=True)
        run(["git", "clone", "--quiet", ROOT, root / CLONE], hint="see git's message above")


def _install(root: Path, packages: list[str]) -> None:
    with step(f"Packages: {' '.join(packages)}"):
        installer = f"/{CLONE}/scripts/setup/install-packages.sh"
        if _enter(root, ["sh", "-euc", 'exec sh "$@" >/dev/null', "sh", installer, *packages]) != 0:
            raise Failure("a package could not be installed", "see apt's message above")


def _enter(root: Path, command: list[str]) -> int:
    entering = ["sh", str(Path(__file__).with_name("enter.sh")), str(root), *command]
    return subprocess.run(entering, env=_environment(), check=False).returncode


def _environment() -> dict[str, str]:
    """A new login's, with free ports, since the network is the machine's."""
    certificates = "/etc/ssl/certs/ca-certificates.crt"
    with ExitStack() as held:
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in PORTS]
        ports = {name: str(one.getsockname()[1]) for name, one in zip(PORTS, sockets, strict=True)}
    return ports | {
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PIP_CERT": certificates,
        "SSL_CERT_FILE": certificates,
        "NODE_EXTRA_CA_CERTS": certificates,
    }


sys.exit(main_guard(main))
