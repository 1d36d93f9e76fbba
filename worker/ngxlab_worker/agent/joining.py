"""Enrolling this machine, and what the server's join.sh has put on it: settings, service, and the agent itself."""

import os
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from ngxlab_contracts.hosts import EnrolCheck, EnrolRequest, HostStanding

from ngxlab_worker.agent.credential import Credential, NotEnrolledError
from ngxlab_worker.agent.this_host import describe_agents_host, identify_agent
from ngxlab_worker.core.settings import AgentSettings, broker_ca_file
from ngxlab_worker.uplink.api_client import AgentClient, ApiError, ApiRefusedError, EnrolClient, patiently

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


_PATIENCE_S = 30.0
_ANSWER_TIMEOUT_S = 10
_REDIS_PORT = 6379
_LONGEST_ANSWER = 200
_LIVE_ANSWERS = (b"+PONG", b"-NOAUTH")
"""To PING before a login: all that a host without a user can be told."""


class BrokerUnreachableError(Exception):
    """This machine does not reach the server's Redis. The message says why, and what to set."""


def known_host(settings: AgentSettings, url: str) -> HostStanding | None:
    """The host that this machine is already; ``None`` where it has no credential of that server, or a revoked one."""
    try:
        credential = Credential.load(settings.folder)
    except NotEnrolledError:
        return None
    if credential.backend_url.rstrip("/") != url.rstrip("/"):
        return None
    with AgentClient(url, credential.credential) as client:
        try:
            return patiently(client.standing, _PATIENCE_S)
        except ApiRefusedError:
            return None


def enrol(settings: AgentSettings, url: str, token: str, name: str) -> Credential:
    """Raises ``ApiError``, and :class:`BrokerUnreachableError` before the token is used."""
    agent = identify_agent()
    asked = EnrolCheck(token=token, name=name, machine=agent.machine)
    with EnrolClient(url) as client:
        outlook = patiently(lambda: client.check(asked), _PATIENCE_S)
        require_broker(outlook.broker_url)
        inventory = describe_agents_host(settings)
        answer = client.enrol(EnrolRequest(token=token, name=name, inventory=inventory, agent=agent))
    return Credential(
        host_id=answer.host_id, credential=answer.credential, backend_url=url, broker_url=answer.broker_url
    )


def require_broker(url: str) -> None:
    """Ask Redis for a sign of life, over TLS where its URL says so. Raises :class:`BrokerUnreachableError`."""
    parts = urlsplit(url)
    host, port = parts.hostname or "localhost", parts.port or _REDIS_PORT
    try:
        with socket.create_connection((host, port), _ANSWER_TIMEOUT_S) as plain:
            connection = _secured(plain, host) if parts.scheme == "rediss" else plain
            connection.sendall(b"PING\r\n")
            answer = connection.recv(_LONGEST_ANSWER)
    except OSError as error:
        raise BrokerUnreachableError(_explain(host, port, str(error))) from error
    if not answer.startswith(_LIVE_ANSWERS):
        said = answer.decode(errors="replace").strip() or "nothing"
        raise BrokerUnreachableError(_explain(host, port, f"it says {said}, which is not what Redis says"))


def _secured(plain: socket.socket, host: str) -> socket.socket:
    return ssl.create_default_context(cafile=broker_ca_file()).wrap_socket(plain, server_hostname=host)


def _explain(host: str, port: int, reason: str) -> str:
    return (
        f"the server's Redis at {host}:{port} cannot be reached from here ({reason}). On the server, set "
        "NGXLAB_BIND or NGXLAB_AGENT_BROKER_URL to an address that this machine reaches, and open the port to it; for "
        "TLS, set NGXLAB_BROKER_CA here. The token has not been used"
    )
