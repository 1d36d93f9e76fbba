"""The nginx in front, at the address of the product, and the sockets of the backend, which it alone reaches.

It has a folder, a user and a name of its own, so that it is never taken for an nginx under test.
"""

import hashlib
import os
import shutil
from pathlib import Path

from ngxlab.front import __main__ as program
from ngxlab.front.configuration import Front

from scripts.console import Failure
from scripts.paths import FRONTEND
from scripts.setup.users import FRONT_USER
from scripts.stack.accounts import demoted, front_user, server_user
from scripts.stack.settings import Settings

LOWEST_FREE_PORT = 1024
"""Ports below it need a right, which nginx keeps where it starts as root."""


def folder(settings: Settings) -> Path:
    return settings.run / "front"


def sockets(settings: Settings) -> Path:
    return settings.run / "backend"


def processes(settings: Settings) -> dict[str, Path]:
    found = [Path(one.removeprefix("unix:")) for one in configured(settings).backends]
    return {"backend" if number == 1 else f"backend-{number}": one for number, one in enumerate(found, start=1)}


def configured(settings: Settings) -> Front:
    """Raises :class:`Failure` that names an invalid setting."""
    own = {
        "NGXLAB_BIND": settings.bind,
        "NGXLAB_PORT": str(settings.port),
        "NGXLAB_BACKENDS": "",
        "NGXLAB_BACKEND_SOCKETS": str(sockets(settings)),
        "NGXLAB_FRONTEND_DIR": settings.passed_on.get("NGXLAB_FRONTEND_DIR", str(FRONTEND / "dist")),
    }
    try:
        return program.from_environment({**settings.passed_on, **own}, folder(settings))
    except ValueError as error:
        raise Failure(str(error), "change it, e.g. in .env") from error


def digest(settings: Settings) -> str:
    """Another one where the configuration has changed, or the certificate has been renewed."""
    front = configured(settings)
    text = front.render().encode()
    if front.tls is not None:
        text += front.tls.certificate.read_bytes()
    return hashlib.sha256(text).hexdigest()


def command(settings: Settings) -> list[str]:
    """What starts it, as its own user where we are root."""
    front = configured(settings)
    started = program.command(front)
    if front_user() is None:
        return started
    tls_port = front.tls.address.rpartition(":")[2] if front.tls else LOWEST_FREE_PORT
    low = min(settings.port, int(tls_port)) < LOWEST_FREE_PORT
    rights = ["--inh-caps", "+net_bind_service", "--ambient-caps", "+net_bind_service"] if low else []
    return [*demoted(FRONT_USER), *rights, "--pdeathsig", "TERM", "--", *started]


def prepare(settings: Settings) -> None:
    for path, owner, group, mode in (
        (folder(settings), front_user(), front_user(), 0o755),
        (sockets(settings), server_user(), front_user(), 0o750),
    ):
        path.mkdir(exist_ok=True)
        path.chmod(mode)
        if os.geteuid() == 0:
            shutil.chown(path, owner or "root", group or "root")
    program.install(configured(settings))
