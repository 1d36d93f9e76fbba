"""What the server's join.sh has put on this machine: settings, service, and the agent itself."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from ngxlab_worker.uplink.api_client import ApiError, EnrolClient

SETTINGS = Path("/etc/ngxlab/agent.env")
SERVICE = "ngxlab-agent.service"
UNIT = Path("/etc/systemd/system") / SERVICE


class NotInstalledError(Exception):
    """Something that join.sh provides is missing, or the caller is not root. The message says what to do."""


def adopt_settings(path: Path = SETTINGS) -> None:
    """Give this process the settings of the installed service, where the environment names no agent's folder."""
    if "NGXLAB_AGENT_DIR" in os.environ:
        return
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            os.environ.setdefault(name, "".join(shlex.split(value)))


def bundle() -> str | None:
    """The SHA-256 of the bundle that this agent was installed from."""
    try:
        return (Path(sys.prefix).parent / "bundle").read_text().strip()
    except OSError:
        return None


def upgrade(server: str) -> int:
    """Install the agent that the server offers, by the server's own script. Returns the script's exit code."""
    require_root("upgrade")
    if bundle() is None:
        raise NotInstalledError("this agent was not installed by the server's line: upgrade it as it was installed")
    try:
        with EnrolClient(server) as client:
            script = client.script()
    except ApiError as error:
        raise NotInstalledError(f"{server} gives no script to upgrade with: {error}") from error
    authority = os.environ.get("SSL_CERT_FILE")
    own = f"NGXLAB_CA={shlex.quote(authority)}\n" if authority else ""
    return subprocess.run(["sh"], input=f"{script}\n{own}ngxlab_upgrade\n", text=True, check=False).returncode


def stop_service() -> None:
    if not UNIT.is_file() or shutil.which("systemctl") is None:
        return
    subprocess.run(["systemctl", "--quiet", "disable", "--now", SERVICE], check=False)
    UNIT.unlink()
    subprocess.run(["systemctl", "daemon-reload"], check=False)


def what_is_left(folder: Path) -> str:
    return f"left here: {folder} (caps.toml, data), {SETTINGS.parent}, /opt/ngxlab, the user ngxlab, Debian packages"


def require_root(what: str) -> None:
    if os.geteuid() != 0:
        raise NotInstalledError(f"{what} needs root: put sudo before it")
