"""What ``ngxlab-worker agent``, ``coordinator`` and ``host …`` do."""

import argparse
import sys
import time
from collections.abc import Callable

from ngxlab_contracts.hosts import HostStanding

from ngxlab_worker.agent import caps, installed, joining
from ngxlab_worker.agent.agent import Agent, AgentRunningError
from ngxlab_worker.agent.credential import Credential, NotEnrolledError
from ngxlab_worker.core.logs import configure_logs
from ngxlab_worker.core.settings import (
    AgentSettings,
    CoordinatorSettings,
    SettingInvalidError,
    SettingMissingError,
    log_format,
    log_level,
)
from ngxlab_worker.tasks import serve_agent, serve_coordinator
from ngxlab_worker.uplink.api_client import (
    AgentClient,
    ApiError,
    ApiRefusedError,
    ApiUnavailableError,
    ApiUntrustedError,
)

REFUSALS = (
    SettingInvalidError,
    SettingMissingError,
    NotEnrolledError,
    AgentRunningError,
    caps.CapsError,
    LookupError,
    joining.BrokerUnreachableError,
    installed.NotInstalledError,
    ApiError,
    OSError,
)


def perform(arguments: argparse.Namespace) -> int:
    """Perform a command. An error that the user can fix is one line on standard error and exit code 1."""
    actions: dict[str, Callable[[argparse.Namespace], int | None]] = {
        "agent": _agent,
        "coordinator": _coordinator,
        "join": _join,
        "status": _status,
        "upgrade": _upgrade,
        "leave": _leave,
    }
    try:
        installed.adopt_settings()
        configure_logs(log_level(), log_format())
        return actions[arguments.action](arguments) or 0
    except REFUSALS as error:
        sys.stderr.write(f"ngxlab-worker: {error}\n")
        return 1


def _agent(_: argparse.Namespace) -> None:
    settings = AgentSettings.from_environment()
    caps.load(settings.folder)  # an unusable file must not mean that everything is allowed
    agent = Agent(settings, Credential.load(settings.folder))
    agent.claim_folder()
    serve_agent(agent)


def _coordinator(_: argparse.Namespace) -> None:
    serve_coordinator(CoordinatorSettings.from_environment())


def _join(arguments: argparse.Namespace) -> None:
    settings = AgentSettings.from_environment()
    caps.write_template(settings.folder)
    token = arguments.token or sys.stdin.readline().strip()
    if arguments.keep and (known := joining.known_host(settings, arguments.url)) is not None:
        sys.stdout.write(f"this machine is host {known.name} ({known.host_id}) already; the token stays unused\n")
        return
    credential = joining.enrol(settings, arguments.url, token, arguments.name)
    path = credential.save(settings.folder)
    sys.stdout.write(f"host {arguments.name} ({credential.host_id}) joined; credential in {path}\n")
    sys.stdout.write(f"set what it may be used for in {settings.folder / caps.FILE_NAME}\n")


READY = frozenset({"idle", "busy", "draining"})
"""States of a host whose agent and server understand each other."""
_POLL_S = 0.5
_NOT_SIGNED_IN = 401


def _status(arguments: argparse.Namespace) -> int:
    _, credential, server = _membership()
    found = _standing(server, credential, arguments.wait)
    lines = [f"host {found.name} ({found.host_id}) of {server}"]
    if (mine := installed.bundle()) is not None and found.bundle not in {None, mine}:
        lines.append("the server offers another agent: ngxlab host upgrade")
    sys.stdout.write("".join(f"{line}\n" for line in (*lines, found.detail, found.state)))
    return 0 if found.state in READY else 1


def _standing(server: str, credential: Credential, wait_s: float) -> HostStanding:
    """How the server sees this host: once it is ready, or after ``wait_s``. Raises ``ApiError``."""
    deadline = time.monotonic() + wait_s
    with AgentClient(server, credential.credential) as client:
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


def _upgrade(_: argparse.Namespace) -> int:
    return installed.upgrade(_membership()[2])


def _leave(_: argparse.Namespace) -> None:
    """Revoke the credential. Raises ``ApiError``, also while a run holds this host."""
    installed.require_root("leave")
    settings, credential, server = _membership()
    told = "this machine is no host any more; its past runs stay on the server"
    with AgentClient(server, credential.credential) as client:
        try:
            client.leave()
        except ApiRefusedError as refusal:
            if refusal.status != _NOT_SIGNED_IN:
                raise
            told = "the server knows this host no more"
    installed.stop_service()
    (settings.folder / "credential.json").unlink()
    sys.stdout.write(f"{told}\n{installed.what_is_left(settings.folder)}\n")


def _membership() -> tuple[AgentSettings, Credential, str]:
    """The agent's settings, its credential, and the server's address."""
    settings = AgentSettings.from_environment()
    credential = Credential.load(settings.folder)
    return settings, credential, settings.backend_url or credential.backend_url
