"""``ngxlab-worker``: serve as a host, drive runs. ``ngxlab host`` of the command line comes from here too."""

import argparse
import platform
import sys
from typing import Any, Protocol

from ngxlab_contracts.version import VERSION

INTERRUPTED = 130


class Subparsers(Protocol):
    def add_parser(self, *args: Any, **options: Any) -> argparse.ArgumentParser: ...


def main() -> None:
    arguments = _parser().parse_args()
    try:
        sys.exit(arguments.perform(arguments))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def add_host(commands: Subparsers) -> None:
    """Add ``host``. The entry point of the group ``ngxlab.commands``, which ``ngxlab`` discovers."""
    text = "make this machine a host of a server, see how it is, upgrade it, leave"
    host = commands.add_parser("host", help=text, description=text).add_subparsers(required=True, metavar="COMMAND")
    join = _add(host, "join", "enrol this machine with a one-time token")
    join.add_argument("url", help="the server's address, e.g. http://lab:8400")
    text = (
        "from the Hosts page or `ngxlab-server enrolment-token`; without it, the token is read from standard input, "
        "where no other user of this machine sees it"
    )
    join.add_argument("token", nargs="?", help=text)
    join.add_argument("--name", default=platform.node(), help="the name of the host (default: its host name)")
    text = "do nothing where this machine is a host of that server already"
    join.add_argument("--keep", action="store_true", help=text)
    status = _add(host, "status", "how the server sees this host; exit code 0 where it is ready for runs")
    status.add_argument("--wait", type=float, default=0, metavar="SECONDS", help="for it to become ready")
    _add(host, "upgrade", "install the agent that the server offers, and start it (root)")
    _add(host, "leave", "stop the agent, and revoke this host's credential; its past runs stay (root)")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ngxlab-worker", description=__doc__)
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add(commands, "agent", "serve as a host (NGXLAB_AGENT_DIR, NGXLAB_RUN_AS, NGXLAB_NGINX_PATHS)")
    _add(commands, "coordinator", "drive runs (NGXLAB_BACKEND_URL, NGXLAB_COORDINATOR_TOKEN, REDIS_URL)")
    add_host(commands)
    return parser


def _add(commands: Subparsers, action: str, text: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(action, help=text)
    parser.set_defaults(perform=_perform, action=action)
    return parser


def _perform(arguments: argparse.Namespace) -> int:
    from ngxlab_worker import cli_host  # noqa: PLC0415 (Celery and numpy take a second that `ngxlab runs` need not wait)

    return cli_host.perform(arguments)


if __name__ == "__main__":
    main()
