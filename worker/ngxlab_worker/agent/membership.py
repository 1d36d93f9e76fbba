"""What this host can ask and tell the server about itself."""

import time

from ngxlab_contracts.hosts import HostStanding

from ngxlab_worker.agent import installed
from ngxlab_worker.agent.credential import Credential
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.uplink.api_client import AgentClient, ApiRefusedError, ApiUnavailableError, ApiUntrustedError

READY = frozenset({"idle", "busy", "draining"})
"""States of a host whose agent and server understand each other."""
_POLL_S = 0.5
_NOT_SIGNED_IN = 401


def server_url(settings: AgentSettings, credential: Credential) -> str:
    return settings.backend_url or credential.backend_url


def standing(settings: AgentSettings, credential: Credential, wait_s: float) -> HostStanding:
    """How the server sees this host: once it is ready, or after ``wait_s``. Raises ``ApiError``."""
    deadline = time.monotonic() + wait_s
    with AgentClient(server_url(settings, credential), credential.credential) as client:
        while True:
            late = time.monotonic() >= deadline
            try:
                found = client.standing()
            except ApiUnavailableError as error:
                if late or isinstance(error, ApiUntrustedError):
                    raise
            else:
                if late or found.state in READY:
                    return found
            time.sleep(_POLL_S)


def described(settings: AgentSettings, credential: Credential, found: HostStanding) -> list[str]:
    """Lines for the owner; the last one ends with the state."""
    lines = [f"host {found.name} ({found.host_id}) of {server_url(settings, credential)}"]
    if (mine := installed.bundle()) is not None and found.bundle not in {None, mine}:
        lines.append("the server offers another agent: ngxlab host upgrade")
    return [*lines, found.detail, found.state]


def leave(settings: AgentSettings, credential: Credential) -> str:
    """Revoke the credential. Raises ``ApiError``, also while a run holds this host."""
    with AgentClient(server_url(settings, credential), credential.credential) as client:
        try:
            client.leave()
        except ApiRefusedError as refusal:
            if refusal.status != _NOT_SIGNED_IN:
                raise
            return "the server knows this host no more"
    return "this machine is no host any more; its past runs stay on the server"
