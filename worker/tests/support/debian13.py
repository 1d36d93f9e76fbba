"""nginx and the load engine of Debian 13, which speak HTTP/3, on an older Debian: a folder with its libraries.

The packages are Debian's own, fetched and checked by apt with settings of their own, and only unpacked: no system is
made, nothing is installed, and nobody needs to be root. Programs run on this machine's kernel with the folder's
libraries. Made once, below the virtual environment.
"""

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fcntl import LOCK_EX, flock
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from ngxlab_worker.sandbox import Child, Command, Sandbox
from tests.support.native import SOURCES

MIRROR = "http://deb.debian.org/debian"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
PACKAGES = (
    "libc6-dev",
    "libgnutls28-dev",
    "libnghttp2-dev",
    "libnghttp3-dev",
    "libngtcp2-crypto-gnutls-dev",
    "libngtcp2-dev",
    "libssl-dev",
    "nginx",
)
TIMEOUT_S = 300


class UnavailableError(Exception):
    """Why there is none here."""


@dataclass(frozen=True)
class Debian13:
    root: Path

    @cached_property
    def nginx(self) -> str:
        """A program that runs its nginx."""
        return str(self._wrapped(self.root / "usr/sbin/nginx"))

    @cached_property
    def prefix(self) -> Path:
        """A folder with ``bin/ngxlab-openloop``, built with its headers and libraries."""
        bin_folder = self.root / "built" / _digest_of_sources() / "bin"
        if not (bin_folder / "complete").exists():
            loaded = f"-Wl,--disable-new-dtags,-rpath,{self._libraries},--dynamic-linker,{self._loader}"
            options = [
                f"CC=gcc --sysroot={self.root} -B{self._libraries} -L{self._libraries}",
                f"CFLAGS=-O2 -g {loaded}",
                f"OUT={bin_folder}",
            ]
            program = str(bin_folder / "ngxlab-openloop")
            subprocess.run(["make", "--silent", "-C", str(SOURCES), *options, program], check=True, timeout=TIMEOUT_S)
            (bin_folder / "complete").touch()
        return bin_folder.parent

    @property
    def _libraries(self) -> Path:
        return self.root / "usr/lib" / f"{platform.machine()}-linux-gnu"

    @property
    def _loader(self) -> Path:
        return next(self._libraries.glob("ld-linux-*.so.*"))

    def _wrapped(self, program: Path) -> Path:
        wrapper = self.root / program.name
        line = f'exec {self._loader} --library-path {self._libraries} {program} "$@"'
        wrapper.write_text(f"#!/bin/sh\n{line}\n")
        wrapper.chmod(0o755)
        return wrapper


@dataclass(frozen=True)
class SandboxWith(Sandbox):
    """Shows its children a folder more."""

    shown: Path = Path("/usr")

    def spawn(self, command: Command) -> Child:
        return super().spawn(replace(command, read_only=(*command.read_only, self.shown)))


def made(folder: Path) -> Debian13:
    """The one in ``folder``, made by the first who asks. Raises ``UnavailableError``."""
    root = folder / f"debian-13-{sha256(' '.join(PACKAGES).encode()).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "debian-13.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not (root / "complete").exists():
            shutil.rmtree(root, ignore_errors=True)
            _make(root)
            (root / "complete").touch()
        system = Debian13(root)
        _ = system.prefix, system.nginx
    return system


def _make(root: Path) -> None:
    work = root.with_name(f"{root.name}.work")
    shutil.rmtree(work, ignore_errors=True)
    for name in ("lists/partial", "archives/partial"):
        (work / name).mkdir(parents=True)
    (work / "status").touch()
    (work / "sources.list").write_text(f"deb [signed-by={KEYRING}] {MIRROR} trixie main\n")
    options = [
        f"-oDir::Etc::sourcelist={work}/sources.list",
        "-oDir::Etc::sourceparts=/dev/null",
        f"-oDir::State={work}",
        f"-oDir::State::lists={work}/lists",
        f"-oDir::State::status={work}/status",
        f"-oDir::Cache={work}",
        f"-oDir::Cache::archives={work}/archives",
        f"-oAPT::Sandbox::User={'root' if os.geteuid() == 0 else ''}",
        "-oAcquire::Languages=none",
        "-oAcquire::Retries=2",
        "-oAcquire::http::Timeout=20",
        "-qq",
    ]
    _run("apt-get", *options, "update")
    _run("apt-get", *options, "install", "--yes", "--no-install-recommends", "--download-only", *PACKAGES)
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for package in _needed(work / "archives"):
        _run("dpkg-deb", "--extract", str(package), str(root))
    shutil.rmtree(work)


def _needed(archives: Path) -> Iterator[Path]:
    """What holds libraries, headers and nginx: the rest only makes up a system."""
    return (
        one for one in sorted(archives.glob("*.deb")) if one.name.startswith(("lib", "linux-libc", "nginx", "zlib"))
    )


def _run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
    except subprocess.CalledProcessError as error:
        raise UnavailableError(f"{command[0]} says: {error.stderr.strip()[-500:]}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(str(error)) from error


def _digest_of_sources() -> str:
    digest = sha256()
    for source in sorted((*SOURCES.glob("*.[ch]"), SOURCES / "Makefile")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]
