"""Systems, and roots made of them: debootstrap's smallest, and how this machine reaches package indexes."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from scripts.console import require, run, say, step

PACKAGES = ("ca-certificates", "git", "make", "python3")
"""What docs/operating.md asks for, and git."""

DEBOOTSTRAP = Path("/usr/share/debootstrap/scripts")
OWN_AUTHORITIES = Path("usr/local/share/ca-certificates")
SETTINGS_OF_CLIENTS = ("etc/pip.conf", "etc/resolv.conf")
NO_SERVICES = "#!/bin/sh\nexit 101\n"
KEYRINGS = Path("/usr/share/keyrings")


@dataclass(frozen=True)
class System:
    suite: str
    name: str
    mirror: str
    components: str
    keyring: Path
    """Comes with a Debian package; debootstrap checks signatures with it."""
    alike: str
    """A suite that is made in the same way, for a debootstrap that is older than this one."""


def _debian(suite: str, name: str) -> System:
    keyring = KEYRINGS / "debian-archive-keyring.gpg"
    return System(suite, name, "http://deb.debian.org/debian", "main", keyring, "sid")


SYSTEMS = {
    system.suite: system
    for system in (
        _debian("bookworm", "Debian 12"),
        _debian("trixie", "Debian 13"),
        System(
            suite="noble",
            name="Ubuntu 24.04",
            mirror="http://archive.ubuntu.com/ubuntu",
            components="main,universe",
            keyring=KEYRINGS / "ubuntu-archive-keyring.gpg",
            alike="jammy",
        ),
    )
}


def make_root(system: System, root: Path, packages: tuple[str, ...] = PACKAGES) -> None:
    """Make a system under ``root``. Needs root and debootstrap; raises :class:`Failure`."""
    require("debootstrap")
    with step(f"{system.name} ({system.suite}) in {root}"):
        script = [] if (DEBOOTSTRAP / system.suite).exists() else [system.alike]
        run(
            ["debootstrap", *_trust(system), "--variant=minbase", f"--components={system.components}",
             f"--include={','.join(packages)}", system.suite, root, system.mirror, *script],
            hint=f"is {system.mirror} reachable? debootstrap needs root and a file system with devices",
        )  # fmt: skip
        _take_settings(root)
        start = root / "usr" / "sbin" / "policy-rc.d"
        start.write_text(NO_SERVICES)
        start.chmod(0o755)


def _trust(system: System) -> list[str]:
    if system.keyring.exists():
        return [f"--keyring={system.keyring}"]
    say(f"    {system.keyring} is missing: packages are not verified, so keep no secrets in this root")
    return ["--no-check-gpg"]


def _take_settings(root: Path) -> None:
    """Name servers, the package clients' settings and own authorities are as on this machine."""
    for name in SETTINGS_OF_CLIENTS:
        if (Path("/") / name).is_file():
            (root / name).unlink(missing_ok=True)
            shutil.copyfile(Path("/") / name, root / name)
    if (Path("/") / OWN_AUTHORITIES).is_dir():
        shutil.copytree(Path("/") / OWN_AUTHORITIES, root / OWN_AUTHORITIES, dirs_exist_ok=True)
    run(["chroot", root, "update-ca-certificates"], hint="see the message above")
