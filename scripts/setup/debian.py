"""Debian packages: only missing ones are installed, and none may start a service."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from scripts.console import Failure, run, say, step

RUNTIME = (
    "bubblewrap",
    "ca-certificates",
    "gcc",
    "iproute2",
    "libc6-dev",
    "libnghttp2-dev",
    "libnginx-mod-http-lua",
    "libnginx-mod-stream",
    "libseccomp2",
    "libssl-dev",
    "make",
    "nginx",
    "openssl",
    "postgresql",
    "procps",
    "python3-venv",
    "redis-server",
    "util-linux",
    "wrk",
)
HTTP3 = ("libgnutls28-dev", "libnghttp3-dev", "libngtcp2-crypto-gnutls-dev", "libngtcp2-dev")
"""What HTTP/3 needs, from Debian 13 on: older versions of these libraries are spoken to otherwise."""
HTTP3_SINCE = 13
DEVELOPMENT = (
    "chromium",
    "fonts-dejavu-core",
    "fonts-wqy-microhei",
    "libnginx-mod-http-brotli-filter",
    "linux-perf",
    "poppler-utils",
    "strace",
)
"""A browser for tests and PDFs, with letters for each language of the pages; a module that a configuration may ask for;
what samples nginx; what shows a PDF's pages to tests; what watches nginx (``make fuzz``)."""

INSTALLER = Path(__file__).with_name("install-packages.sh")


def ensure_packages(*, dev: bool) -> None:
    """Install the missing packages. Needs root or sudo only if there are any."""
    wanted = RUNTIME + (HTTP3 if has_http3() else ()) + (DEVELOPMENT if dev else ())
    missing = missing_packages(wanted)
    if not missing:
        return
    with step(f"Debian packages: {' '.join(missing)}"):
        run(
            [*_as_root(missing), "sh", INSTALLER, *missing],
            hint="see apt's message above; is the network reachable, and are the package sources right "
            "(/etc/apt/sources.list, /etc/apt/sources.list.d)? Then run the same command again.",
        )


def has_http3(os_release: Path = Path("/etc/os-release")) -> bool:
    """Whether this Debian's libraries speak HTTP/3."""
    try:
        named = dict(line.split("=", 1) for line in os_release.read_text().splitlines() if "=" in line)
    except OSError:
        return False
    version = named.get("VERSION_ID", "").strip('"')
    return named.get("ID", "").strip('"') == "debian" and version.isdigit() and int(version) >= HTTP3_SINCE


def missing_packages(wanted: Sequence[str]) -> list[str]:
    if shutil.which("dpkg-query") is None:
        raise Failure(
            "this is not a Debian or Ubuntu machine (no dpkg-query)",
            f"install the equivalents of: {' '.join(wanted)}; or use docker-compose.yml",
        )
    listed = subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n", *wanted],
        capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip
    installed = {line.split()[1] for line in listed.splitlines() if line.startswith("installed ")}
    return [name for name in wanted if name not in installed]


def _as_root(missing: Sequence[str]) -> list[str]:
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        raise Failure(
            "Debian packages are missing, and you are neither root nor have sudo",
            f"ask an administrator to run:  sh {INSTALLER} {' '.join(missing)}",
        )
    if subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode != 0:
        say("    sudo asks for your password to install them:")
        if subprocess.run(["sudo", "-v"], check=False).returncode != 0:
            raise Failure("sudo refused", f"ask an administrator to run:  sh {INSTALLER} {' '.join(missing)}")
    return ["sudo"]
