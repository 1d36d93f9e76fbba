"""How another machine becomes a host: the script that installs the agent there, and the bundle that it installs.

Both are public and have no secret: what lets a machine in is the one-time token of the line that the page shows.
"""

import shlex
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from ngxlab.core.config import Settings

_SCRIPT = Path(__file__).with_name("join.sh")
_PATH = "/api/v1/agent/join.sh"


class AgentBundle(BaseModel):
    """The agent as this server gives it to hosts: ``bundle.json`` beside ``bundle.tar.gz`` (scripts/agent_bundle)."""

    sha256: str
    size_bytes: int
    machine: str = Field(description="architecture of its load engines; on others, hosts compile them")
    python: str | None = Field(
        description="the Python whose packages it has; others need a package index. None: all do"
    )


class Joining(BaseModel):
    """What an administrator knows before inviting a machine."""

    server: str = Field(description="the address that the machine must reach")
    bundle: AgentBundle | None
    obstacles: list[str] = Field(description="why no other machine can join now, each with a remedy")


def bundle(settings: Settings) -> AgentBundle | None:
    """``None`` where this installation has none."""
    if settings.agent_bundle_dir is None:
        return None
    try:
        return AgentBundle.model_validate_json((settings.agent_bundle_dir / "bundle.json").read_bytes())
    except FileNotFoundError:
        return None


def script(settings: Settings, agent: AgentBundle) -> str:
    """``join.sh`` for this server."""
    return _rendered(settings.public_url, agent.sha256)


@lru_cache(maxsize=2)
def _rendered(server: str, sha256: str) -> str:
    text = _SCRIPT.read_text(encoding="utf-8")
    for name, value in {"SERVER": server, "SHA256": sha256}.items():
        text = text.replace(f"@{name}@", shlex.quote(value))
    return text


def command(settings: Settings, token: str) -> str:
    """The line that makes a machine a host. The token is no process's argument: ``echo`` is the shell's own."""
    return _line(settings, f"ngxlab_join {token}")


def upgrade_command(settings: Settings) -> str:
    """The line that gives a host the agent of this server, whatever it has now."""
    return _line(settings, "ngxlab_upgrade")


def _line(settings: Settings, what: str) -> str:
    address = shlex.quote(settings.public_url + _PATH)
    fetch = f"{{ curl -fsS {address} || wget -qO- {address}; }}"
    return f"{{ {fetch} && echo {what}; }} | $(command -v sudo) sh"


def joining(settings: Settings) -> Joining:
    agent = bundle(settings)
    obstacles = []
    if _is_loopback(settings.public_url):
        obstacles.append(
            f"The server's address is {settings.public_url}, which means each machine itself. Set "
            "NGXLAB_PUBLIC_URL and NGXLAB_BIND to what other machines reach, and start the server again."
        )
    elif _is_loopback(settings.broker_url_for_agents):
        obstacles.append(
            "Redis is at an address that means each machine itself. Set NGXLAB_BIND, or NGXLAB_AGENT_BROKER_URL, "
            "to what other machines reach."
        )
    if agent is None:
        obstacles.append("This server has no agent to give away: run `make setup` on it, or build its image again.")
    return Joining(server=settings.public_url, bundle=agent, obstacles=obstacles)


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
