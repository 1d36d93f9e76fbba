"""``ngxlab``: the worker's command line."""

import argparse
import platform
import sys

from ngxlab_contracts.hosts import EnrolRequest

from ngxlab_worker import caps
from ngxlab_worker.agent import Agent, AgentRunningError
from ngxlab_worker.api_client import ApiError, EnrolClient
from ngxlab_worker.credential import Credential, NotEnrolledError
from ngxlab_worker.logs import configure_logs
from ngxlab_worker.settings import AgentSettings, CoordinatorSettings, SettingMissingError, log_level
from ngxlab_worker.tasks import run_agent_worker, run_coordinator_worker
from ngxlab_worker.this_host import describe_agents_host

REFUSALS = (SettingMissingError, NotEnrolledError, AgentRunningError, caps.CapsError, LookupError, ApiError, OSError)


def main() -> None:
    """Entry point. What the user can mend is one line on standard error and exit code 1."""
    arguments = _parser().parse_args()
    configure_logs(log_level())
    try:
        arguments.action(arguments)
    except REFUSALS as error:
        sys.stderr.write(f"ngxlab: {error}\n")
        sys.exit(1)


def _agent(_: argparse.Namespace) -> None:
    settings = AgentSettings.from_environment()
    caps.load(settings.folder)  # a file that cannot be used must not mean that everything is allowed
    agent = Agent(settings, Credential.load(settings.folder))
    agent.claim_folder()
    run_agent_worker(agent)


def _coordinator(_: argparse.Namespace) -> None:
    run_coordinator_worker(CoordinatorSettings.from_environment())


def _join(arguments: argparse.Namespace) -> None:
    settings = AgentSettings.from_environment()
    caps.write_template(settings.folder)
    request = EnrolRequest(token=arguments.token, name=arguments.name, inventory=describe_agents_host(settings))
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
    sys.stdout.write(f"what you allow on it: {settings.folder / caps.FILE_NAME}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ngxlab", description="ngxlab's workers")
    commands = parser.add_subparsers(required=True)
    agent = commands.add_parser("agent", help="run this host's agent (NGXLAB_AGENT_DIR, NGXLAB_RUN_AS)")
    agent.set_defaults(action=_agent)
    coordinator = commands.add_parser(
        "coordinator", help="drive runs (NGXLAB_BACKEND_URL, NGXLAB_COORDINATOR_TOKEN, REDIS_URL)"
    )
    coordinator.set_defaults(action=_coordinator)
    host = commands.add_parser("host", help="this machine as a host").add_subparsers(required=True)
    join = host.add_parser("join", help="enrol this machine with a one-time token")
    join.add_argument("url", help="the backend's address, e.g. http://lab:8400")
    join.add_argument("token", help="from `ngxlab-server enrolment-token` or the hosts page")
    join.add_argument("--name", default=platform.node(), help="how the host is called (default: its host name)")
    join.set_defaults(action=_join)
    return parser


if __name__ == "__main__":
    main()
