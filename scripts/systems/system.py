"""The systems that a root can be made of."""

from dataclasses import dataclass
from pathlib import Path

KEYRINGS = Path("/usr/share/keyrings")


@dataclass(frozen=True)
class System:
    suite: str
    name: str
    mirror: str
    components: str
    keyring: Path
    """Of the Debian package that debootstrap's signatures are checked with."""
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
