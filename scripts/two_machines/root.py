"""A fresh Debian 12 as a folder: made once by debootstrap, and kept packed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from scripts.console import run, step

SUITE = "bookworm"
FRESH = "systemd-sysv,dbus,ca-certificates"
"""What an installed Debian has beyond debootstrap's smallest variant, as far as it matters here."""
_DEFAULT_MIRROR = "http://deb.debian.org/debian"


def unpack(into: Path) -> None:
    """Fill ``into`` with the root; make it the first time."""
    kept = _cache() / f"{SUITE}-{FRESH.replace(',', '+')}.tar"
    if not kept.is_file():
        with step(f"Debian ({SUITE}) from {mirror()}, once"):
            _make(kept)
    into.mkdir()
    run(["tar", "--extract", "--numeric-owner", f"--file={kept}", f"--directory={into}"], hint=f"remove {kept}")
    shutil.copy("/etc/resolv.conf", into / "etc" / "resolv.conf")


def mirror() -> str:
    """Where this machine's apt gets Debian from."""
    listed = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    text = "\n".join(path.read_text() for path in listed if path.is_file())
    found = re.search(r"^(?:URIs:|deb)\s+(?:\[[^]]*\]\s+)?(https?://\S+/debian)/?(?:\s|$)", text, re.MULTILINE)
    return found[1] if found else _DEFAULT_MIRROR


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ngxlab"


def _make(kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    folder, packed = kept.with_suffix(".root"), kept.with_suffix(".part")
    shutil.rmtree(folder, ignore_errors=True)
    order: list[str | Path] = ["debootstrap", "--variant=minbase", f"--include={FRESH}", SUITE, folder, mirror()]
    run(order, hint=f"its log is {folder}/debootstrap/debootstrap.log")
    subprocess.run(["chroot", str(folder), "apt-get", "clean"], check=True)
    run(["tar", "--create", "--numeric-owner", f"--file={packed}", f"--directory={folder}", "."], hint="is there room?")
    packed.replace(kept)
    shutil.rmtree(folder)
