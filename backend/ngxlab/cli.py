"""ngxlab-server: serve, migrate, and what an operator does on the server's own machine.

Each command imports what it needs when it runs: all of ngxlab takes seconds.
"""

import argparse
import asyncio
import contextlib
import gc
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import uvicorn
from ngxlab_contracts.version import VERSION
from uvicorn.config import STARTUP_FAILURE

from ngxlab.core import logs
from ngxlab.core.config import get_settings

if TYPE_CHECKING:
    from fastapi import FastAPI

_IDLE_S = 75
"""An unused connection is closed. The front closes its own earlier, so that none ends while it is taken again."""

_YOUNG_OBJECTS = 50_000
"""After so many more are made than freed, the garbage collector looks at them. Python's 700 costs a fifth of an
analysis, which makes hundreds of thousands and no circles."""

_GIVES_WAY_AFTER_S = 0.0005
"""A thread that computes (a chart, a block to pack) gives way to the event loop. With Python's 5 ms, each step of
an answer that is made meanwhile takes 5 ms longer."""


def _serve(arguments: argparse.Namespace) -> int:
    settings = get_settings()
    logs.configure(settings.log_level)
    open_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_files, open_files))  # every connection is one
    config = uvicorn.Config(
        settled_app,
        factory=True,
        host=settings.bind,
        port=settings.port,
        uds=str(arguments.socket) if arguments.socket else None,
        log_config=None,
        ws="none",
        proxy_headers=False,  # the application's own: uvicorn's trust loopback
        server_header=False,
        date_header=False,  # the front's is sent
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=2,  # open event streams would otherwise hold a restart
    )
    server = _QuietServer(config)
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    return 0 if server.started else STARTUP_FAILURE


class _QuietServer(uvicorn.Server):
    """uvicorn's server looks ten times a second whether it should end; this one is told by the signal."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending = asyncio.Event()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The signal that ends the process."""
        super().handle_exit(sig, frame)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._ending.set)

    async def main_loop(self) -> None:
        """Return when the server should end."""
        self._loop = asyncio.get_running_loop()
        if not self.should_exit:
            await self._ending.wait()


def settled_app() -> "FastAPI":
    """The application. Its quarter of a million objects live as long as the process, so no collection visits them."""
    from ngxlab.main import create_app  # noqa: PLC0415 (seconds that the other commands do not need)

    app = create_app()
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(_GIVES_WAY_AFTER_S)
    return app


def _jobs(_: argparse.Namespace) -> int:
    from ngxlab import jobs  # noqa: PLC0415 (seconds that the other commands do not need)

    return jobs.run(get_settings())


def _migrate(_: argparse.Namespace) -> int:
    from ngxlab.core.migrate import migrate_database  # noqa: PLC0415

    migrate_database(get_settings())
    return 0


def _operator(arguments: argparse.Namespace) -> int:
    from ngxlab import cli_operator  # noqa: PLC0415

    return cli_operator.perform(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ngxlab-server", description="The ngxlab backend.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, text: str, action: Callable[[argparse.Namespace], int] = _operator
    ) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(action=action, command=name)
        return sub

    serve = command("serve", "serve the API, behind the nginx that ngxlab-front starts", _serve)
    serve.add_argument("--socket", type=Path, help="a Unix socket, for the front alone, instead of address and port")
    command("jobs", "work on what must not be done inside requests: analysis, windows, upkeep; scale it freely", _jobs)
    command("migrate", "bring the database to the current schema", _migrate)
    backup = command("backup", "write the whole database to a file, also while the server runs")
    backup.add_argument("file", type=Path)
    backup.add_argument("--unnoted", action="store_true", help="change nothing: the database has no note of it")
    restored = command("restore", "replace the database by a backup, and bring it to the current schema")
    restored.add_argument("file", type=Path)
    restored.add_argument("--replace", action="store_true", help="also where there are experiments, which are deleted")
    restored.add_argument(
        "--resume", action="store_true", help="this is the real installation from now on, and no rehearsal"
    )
    restored.add_argument("--check", action="store_true", help="only read the file, and say whether it can be restored")
    tried = command("upgrade-check", "tell what this version does to a backup, in an empty database")
    tried.add_argument("file", type=Path)
    tried.add_argument("--all", action="store_true", help="judge all runs, and not the newest only")
    command("audit-check", "whether the audit log is as it was when it was sealed")
    command("resume", "say that a restored backup is the real installation, and no rehearsal")
    proven = command("backup-proven", "note that a backup could be restored elsewhere, or why not")
    proven.add_argument("file", type=Path)
    proven.add_argument("--trouble", help="why it could not")
    admin = command("create-admin", "create an administrator and print a one-time password")
    admin.add_argument("--email", required=True)
    admin.add_argument(
        "--if-none",
        action="store_true",
        help="do nothing if there is an administrator already; the password printed is no one-time password",
    )
    enrol = command("enrolment-token", "print a one-time token with which one host may join")
    enrol.add_argument("--minutes", type=int, default=60)
    token = command("api-token", "print a new personal API token of an account")
    begin = command(
        "begin",
        "migrate; in an empty installation then make an administrator, whose password and API token it prints as JSON",
    )
    for one in (token, begin):
        one.add_argument("--email", required=True)
        one.add_argument("--name", required=True, help="of the token")
        one.add_argument("--scope", default="read", help="what it is for: read, operate or administer")
        one.add_argument("--days", type=int, default=30, help="until it expires")
    lost = command("remove-passkeys", "remove all passkeys of somebody who has lost their device")
    lost.add_argument("--email", required=True)
    schema = command("openapi", "print the API's OpenAPI document")
    schema.add_argument("--output", type=Path)
    return parser


def main() -> int:
    """Entry point of ``ngxlab-server``."""
    gc.set_threshold(_YOUNG_OBJECTS, 10, 10)
    arguments = _parser().parse_args()
    try:
        result: int = arguments.action(arguments)
    except Exception as error:
        from ngxlab.cli_operator import sentence_of  # noqa: PLC0415

        if (said := sentence_of(error)) is None:
            raise
        sys.stderr.write(f"{said}\n")
        return 1
    return result


if __name__ == "__main__":
    sys.exit(main())
