"""What ``ngxlab-worker agent``, ``coordinator`` and ``host …`` do."""

import argparse
import sys
from collections.abc import Callable

from ngxlab_worker.agent import caps, installed, joining, membership
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
from ngxlab_worker.uplink.api_client import ApiError

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


def _status(arguments: argparse.Namespace) -> int:
    settings = AgentSettings.from_environment()
    credential = Credential.load(settings.folder)
    standing = membership.standing(settings, credential, arguments.wait)
    sys.stdout.write("".join(f"{line}\n" for line in membership.described(settings, credential, standing)))
    return 0 if standing.state in membership.READY else 1


def _upgrade(_: argparse.Namespace) -> int:
    settings = AgentSettings.from_environment()
    return installed.upgrade(membership.server_url(settings, Credential.load(settings.folder)))


def _leave(_: argparse.Namespace) -> None:
    settings = AgentSettings.from_environment()
    installed.require_root("leave")
    told = membership.leave(settings, Credential.load(settings.folder))
    installed.stop_service()
    (settings.folder / "credential.json").unlink()
    sys.stdout.write(f"{told}\n{installed.what_is_left(settings.folder)}\n")
