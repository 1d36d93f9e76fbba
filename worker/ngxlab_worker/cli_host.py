"""What ``ngxlab-worker agent``, ``coordinator`` and ``host join`` do."""

import argparse
import sys

from ngxlab_contracts.hosts import EnrolRequest

from ngxlab_worker.agent import caps
from ngxlab_worker.agent.agent import Agent, AgentRunningError
from ngxlab_worker.agent.credential import Credential, NotEnrolledError
from ngxlab_worker.agent.this_host import describe_agents_host, identify_agent
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
from ngxlab_worker.uplink.api_client import ApiError, EnrolClient

REFUSALS = (
    SettingInvalidError,
    SettingMissingError,
    NotEnrolledError,
    AgentRunningError,
    caps.CapsError,
    LookupError,
    ApiError,
    OSError,
)


def perform(arguments: argparse.Namespace) -> int:
    """Perform a command. An error that the user can fix is one line on standard error and exit code 1."""
    actions = {"agent": _agent, "coordinator": _coordinator, "join": _join}
    try:
        configure_logs(log_level(), log_format())
        actions[arguments.action](arguments)
    except REFUSALS as error:
        sys.stderr.write(f"ngxlab-worker: {error}\n")
        return 1
    return 0


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
    request = EnrolRequest(
        token=token, name=arguments.name, inventory=describe_agents_host(settings), agent=identify_agent()
    )
    with EnrolClient(arguments.url) as client:
        answer = client.enrol(request)
    credential = Credential(
        host_id=answer.host_id,
        credential=answer.credential,
        backend_url=arguments.url,
        broker_url=answer.broker_url,
    )
    path = credential.save(settings.folder)
    sys.stdout.write(f"host {arguments.name} ({answer.host_id}) joined; credential in {path}\n")
    sys.stdout.write(f"set what it may be used for in {settings.folder / caps.FILE_NAME}\n")
