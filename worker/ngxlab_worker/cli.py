"""``ngxlab``: the command line of people, of continuous integration, and of the workers themselves."""

import argparse
import platform
import sys

from ngxlab_worker.run_client.parser import ENVIRONMENT, EXIT_CODES, add_commands

INTERRUPTED = 130


def main() -> None:
    """Entry point."""
    arguments = _parser().parse_args()
    try:
        sys.exit(arguments.perform(arguments))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _perform_on_host(arguments: argparse.Namespace) -> int:
    from ngxlab_worker import cli_host  # noqa: PLC0415 (Celery and numpy take a second that `ngxlab runs` need not wait)

    return cli_host.perform(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ngxlab",
        description="Run NGINX experiments, and serve as a host for them.",
        epilog=f"{EXIT_CODES}\n{ENVIRONMENT}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_commands(commands)
    agent = commands.add_parser("agent", help="serve as a host (NGXLAB_AGENT_DIR, NGXLAB_RUN_AS, NGXLAB_NGINX_PATHS)")
    agent.set_defaults(perform=_perform_on_host, action="agent")
    coordinator = commands.add_parser(
        "coordinator", help="drive runs (NGXLAB_BACKEND_URL, NGXLAB_COORDINATOR_TOKEN, REDIS_URL)"
    )
    coordinator.set_defaults(perform=_perform_on_host, action="coordinator")
    host = commands.add_parser("host", help="this machine as a host").add_subparsers(required=True)
    join = host.add_parser("join", help="enrol this machine with a one-time token")
    join.add_argument("url", help="the backend's address, e.g. http://lab:8400")
    join.add_argument(
        "token",
        nargs="?",
        help="from `ngxlab-server enrolment-token` or the hosts page; left out, it is read from standard input, "
        "where no other user of this machine sees it",
    )
    join.add_argument("--name", default=platform.node(), help="how the host is called (default: its host name)")
    join.set_defaults(perform=_perform_on_host, action="join")
    return parser


if __name__ == "__main__":
    main()
