"""ngxlab-front: writes the configuration of nginx, and becomes nginx."""

import argparse
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from ngxlab.front.configuration import Front, Tls

PROGRAM = "ngxlab-front"
"""The name of the process: whoever looks for an nginx under test, or ends all of them, does not find this one."""
_PACKAGED = Path(__file__).resolve().parents[1] / "frontend"
"""The build that a wheel brings."""
_EVERYWHERE = "0.0.0.0"  # noqa: S104 (TLS is spoken to others)


def main() -> int:
    """Return where nginx cannot be started, and after --print."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="for its configuration and what else it writes")
    parser.add_argument("--print", action="store_true", help="print the configuration, and start nothing")
    options = parser.parse_args()
    try:
        front = from_environment(os.environ, options.folder)
    except ValueError as error:
        sys.stderr.write(f"{PROGRAM}: {error}\n")
        return 1
    if not options.print:
        install(front)
        order = command(front)
        os.execv(order[0], order)  # noqa: S606 (there is nothing in it for a shell)
    sys.stdout.write(front.render())
    return 0


def from_environment(values: Mapping[str, str], folder: Path) -> Front:
    """As ``.env.example`` explains it. Raises ValueError that says what is wrong."""
    processes = values.get("NGXLAB_BACKEND_PROCESSES") or "1"
    if not processes.isdecimal() or not 1 <= int(processes) <= 64:
        raise ValueError(f"NGXLAB_BACKEND_PROCESSES is {processes!r}: set it to a number from 1 to 64")
    sockets = values.get("NGXLAB_BACKEND_SOCKETS") or "/run/ngxlab-backend"
    backends = (values.get("NGXLAB_BACKENDS") or "").split()
    certificate, key = values.get("TLS_CERT"), values.get("TLS_KEY")
    if bool(certificate) != bool(key):
        raise ValueError("TLS_CERT and TLS_KEY belong together: set both, or none")
    tls = None
    if certificate and key:
        where = address(values.get("NGXLAB_TLS_BIND") or _EVERYWHERE, values.get("NGXLAB_TLS_PORT") or "443")
        tls = Tls(where, Path(certificate), Path(key))
    return Front(
        address=address(values.get("NGXLAB_BIND") or "127.0.0.1", values.get("NGXLAB_PORT") or "8400"),
        backends=backends or [socket(Path(sockets), number) for number in range(1, int(processes) + 1)],
        folder=folder,
        pages=Path(values.get("NGXLAB_FRONTEND_DIR") or _PACKAGED),
        tls=tls,
    )


def address(host: str, port: str | int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def socket(folder: Path, number: int) -> str:
    """Where one process of the backend listens, as nginx names it."""
    return f"unix:{folder}/{number}.sock"


def install(front: Front) -> None:
    """Write what nginx needs into the folder of ``front``, which is there."""
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found is None:
        raise FileNotFoundError("there is no nginx on this machine: install the package nginx")
    started = front.folder / PROGRAM
    started.unlink(missing_ok=True)
    started.symlink_to(found)
    (front.folder / "nginx.conf").write_text(front.render())


def command(front: Front) -> list[str]:
    """What starts nginx, once it is installed."""
    folder = str(front.folder)
    return [f"{folder}/{PROGRAM}", "-e", "stderr", "-p", folder, "-c", f"{folder}/nginx.conf"]


if __name__ == "__main__":
    sys.exit(main())
