"""ngxlab-server: serve, migrate, and what an operator does on the server's own machine."""

import argparse
import asyncio
import contextlib
import gc
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import FrameType

import structlog
import uvicorn
from fastapi import FastAPI
from ngxlab_contracts.version import VERSION
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession
from uvicorn.config import STARTUP_FAILURE

from ngxlab.accounts import passkeys, secrets, tokens
from ngxlab.accounts import repository as accounts
from ngxlab.accounts import service as account_service
from ngxlab.accounts.models import Account, Role, TokenScope
from ngxlab.accounts.schemas import MAX_TOKEN_DAYS, AccountCreate, TokenCreate
from ngxlab.audit import seals
from ngxlab.audit.acts import Act
from ngxlab.audit.record import INSTALLATION, Object, record, system
from ngxlab.core import logs, migrate
from ngxlab.core.backup import BackupError, back_up, examine, restore
from ngxlab.core.bus import Bus, connect_redis
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings, get_settings
from ngxlab.core.database import Database
from ngxlab.core.errors import ApiError
from ngxlab.core.rehearsal import become_real
from ngxlab.hosts.service import create_enrolment_token
from ngxlab.retention import repository as storage
from ngxlab.retention.models import Backup

log = structlog.get_logger()

_IDLE_S = 75
"""An unused connection is closed. The front closes its own earlier, so that none ends while it is taken again."""

_YOUNG_OBJECTS = 50_000
"""After so many more are made than freed, the garbage collector looks at them. Python's 700 costs a fifth of an
analysis, which makes hundreds of thousands and no circles."""

_GIVES_WAY_AFTER_S = 0.0005
"""A thread that computes (a chart, a block to pack) gives way to the event loop. With Python's 5 ms, each step of
an answer that is made meanwhile takes 5 ms longer."""

_OPERATOR = system("operator of the server")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _with_session(work: Callable[[AsyncSession, Settings], Awaitable[int]]) -> int:
    async def run() -> int:
        settings = get_settings()
        redis_url = settings.redis_url.get_secret_value()
        redis = connect_redis(redis_url, **settings.redis_options)
        bus = Bus(redis, redis_url, **settings.redis_options)
        database = Database(settings.database_url.get_secret_value(), bus)
        try:
            async with database.transaction() as session:
                return await work(session, settings)
        finally:
            await redis.aclose()
            await database.close()

    return asyncio.run(run())


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


def settled_app() -> FastAPI:
    """The application. Its quarter of a million objects live as long as the process, so no collection visits them."""
    from ngxlab.main import create_app  # noqa: PLC0415 (seconds that the other commands do not need)

    app = create_app()
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, 10, 10)
    sys.setswitchinterval(_GIVES_WAY_AFTER_S)
    return app


def _owners_url(settings: Settings) -> str:
    return (settings.migration_database_url or settings.database_url).get_secret_value()


def _jobs(_: argparse.Namespace) -> int:
    from ngxlab import jobs  # noqa: PLC0415 (seconds that the other commands do not need)

    return jobs.run(get_settings())


def _migrate(_: argparse.Namespace) -> int:
    settings = get_settings()
    owner = _owners_url(settings)
    migrate.upgrade(owner)
    migrate.grant_rows(owner, settings.database_url.get_secret_value())
    return 0


def _back_up(arguments: argparse.Namespace) -> int:
    file: Path = arguments.file
    began = time.monotonic()
    made = back_up(get_settings().database_url.get_secret_value(), file)
    known = Backup(made_at=made.made_at, file=str(file), bytes=file.stat().st_size, took_s=time.monotonic() - began)

    async def note(session: AsyncSession, _: Settings) -> int:
        await storage.note_backup(session, known)
        return 0

    size = known.bytes / 1e6
    if not arguments.unnoted:
        _with_session(note)
    _say(f"{file}: {size:.1f} MB, schema {made.schema_revision}, {sum(made.rows.values())} rows")
    return 0


def _proven(arguments: argparse.Namespace) -> int:
    async def note(session: AsyncSession, _: Settings) -> int:
        made = await storage.last_backup(session, str(arguments.file))
        if made is None:
            sys.stderr.write(f"No backup is known in {arguments.file}.\n")
            return 1
        made.proven_at, made.trouble = utcnow(), arguments.trouble
        return 0

    return _with_session(note)


def _audit_check(_: argparse.Namespace) -> int:
    async def work(session: AsyncSession, settings: Settings) -> int:
        found = await seals.check(session, timedelta(days=settings.audit_days))
        for sentence in found.wrong:
            _say(sentence)
        gone = f", {found.gone} of them over entries that are past their retention" if found.gone else ""
        _say(f"{found.seals} seals over {found.entries} entries{gone}; {len(found.wrong)} do not fit.")
        _say(f"The newest: {found.head}")
        return 1 if found.wrong else 0

    return _with_session(work)


def _resume(_: argparse.Namespace) -> int:
    async def work(session: AsyncSession, _: Settings) -> int:
        backup_of = await become_real(session)
        if backup_of is None:
            _say("This is no rehearsal.")
            return 0
        await record(session, _OPERATOR, Act.rehearsal_ended, INSTALLATION, backup_of=backup_of.isoformat())
        _say(f"The backup of {backup_of:%Y-%m-%d %H:%M} UTC is now the real installation.")
        return 0

    return _with_session(work)


def _restore(arguments: argparse.Namespace) -> int:
    if arguments.check:
        found = examine(arguments.file)
        _say(f"{arguments.file} is sound: made {found.made_at:%Y-%m-%d %H:%M} UTC by ngxlab {found.ngxlab}")
        return 0
    found = restore(_owners_url(get_settings()), arguments.file, replace=arguments.replace, is_real=arguments.resume)
    _migrate(arguments)
    _say(f"Restored what was there on {found.made_at:%Y-%m-%d %H:%M} UTC.")
    if not arguments.resume:
        _say(
            "It is a rehearsal: it starts no run and sends nothing, so that it disturbs no original that still runs. "
            "If this is the real installation now, say so at the top of any page, or by make resume "
            "(ngxlab-server resume)."
        )
    return 0


def _upgrade_check(arguments: argparse.Namespace) -> int:
    from ngxlab.retention import upgrade_check  # noqa: PLC0415 (seconds that the other commands do not need)

    most_runs = None if arguments.all else upgrade_check.MOST_RUNS
    changes = upgrade_check.check(get_settings(), arguments.file, most_runs, partial(print, flush=True))
    if changes:
        _say(f"The upgrade to ngxlab {VERSION} changes something:\n" + "\n".join(f"- {change}" for change in changes))
        return 1
    _say(f"The upgrade to ngxlab {VERSION} keeps everything as it is.")
    return 0


def _create_admin(arguments: argparse.Namespace) -> int:
    async def work(session: AsyncSession, _: Settings) -> int:
        existing = await accounts.accounts(session)
        if any(a.role == Role.administrator for a in existing) and arguments.if_none:
            return 0
        request = AccountCreate(email=arguments.email, role=Role.administrator)
        if arguments.if_none:  # for a program, which keeps the password
            password = secrets.new_password()
            account = await account_service.add_account(session, request, password)
            on = Object("account", account.id, account.email)
        else:
            given = await account_service.create_account(session, request)
            password = given.password
            on = Object("account", given.account.id, given.account.email)
        await record(session, _OPERATOR, Act.account_created, on, role=Role.administrator)
        _say(password)
        return 0

    return _with_session(work)


def _enrolment_token(arguments: argparse.Namespace) -> int:
    async def work(session: AsyncSession, settings: Settings) -> int:
        made = await create_enrolment_token(session, settings, arguments.minutes, None)
        await record(session, _OPERATOR, Act.enrolment_token_created, expires_in_minutes=arguments.minutes)
        _say(made.token)
        return 0

    return _with_session(work)


async def _account(session: AsyncSession, email: str) -> Account | None:
    """Says so where there is none."""
    account = await accounts.account_by_email(session, email)
    if account is None:
        sys.stderr.write(f"There is no account {email}.\n")
    return account


def _api_token(arguments: argparse.Namespace) -> int:
    async def work(session: AsyncSession, _: Settings) -> int:
        if (account := await _account(session, arguments.email)) is None:
            return 1
        request = TokenCreate(name=arguments.name, scope=arguments.scope, expires_in_days=arguments.days)
        made = await tokens.create(session, account, request)
        detail = {"of": account.email, "scope": request.scope, "expires_in_days": request.expires_in_days}
        await record(session, _OPERATOR, Act.token_created, Object("token", made.id, made.name), **detail)
        _say(made.token)
        return 0

    return _with_session(work)


def _remove_passkeys(arguments: argparse.Namespace) -> int:
    async def work(session: AsyncSession, _: Settings) -> int:
        if (account := await _account(session, arguments.email)) is None:
            return 1
        removed = await passkeys.remove_all(session, _OPERATOR, account)
        _say(f"Passkeys removed: {removed}. {account.email} signs in with the password alone.")
        return 0

    return _with_session(work)


def _openapi(arguments: argparse.Namespace) -> int:
    from ngxlab.main import create_app  # noqa: PLC0415 (the schema needs no settings of a real installation)

    unused = "x" * 32
    settings = Settings(
        DATABASE_URL="postgresql://unused", REDIS_URL="redis://unused", coordinator_token=unused, log_level="ERROR"
    )
    text = json.dumps(create_app(settings).openapi(), indent=1, sort_keys=True) + "\n"
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        arguments.output.write_text(text)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ngxlab-server", description="The ngxlab backend.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, action: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(action=action)
        return sub

    serve = command("serve", _serve, "serve the API, behind the nginx that ngxlab-front starts")
    serve.add_argument("--socket", type=Path, help="a Unix socket, for the front alone, instead of address and port")
    command("jobs", _jobs, "work on what must not be done inside requests: analysis, windows, upkeep; scale it freely")
    command("migrate", _migrate, "bring the database to the current schema")
    backup = command("backup", _back_up, "write the whole database to a file, also while the server runs")
    backup.add_argument("file", type=Path)
    backup.add_argument("--unnoted", action="store_true", help="change nothing: the database has no note of it")
    restored = command("restore", _restore, "replace the database by a backup, and bring it to the current schema")
    restored.add_argument("file", type=Path)
    restored.add_argument("--replace", action="store_true", help="also where there are experiments, which are deleted")
    restored.add_argument(
        "--resume", action="store_true", help="this is the real installation from now on, and no rehearsal"
    )
    restored.add_argument("--check", action="store_true", help="only read the file, and say whether it can be restored")
    tried = command("upgrade-check", _upgrade_check, "tell what this version does to a backup, in an empty database")
    tried.add_argument("file", type=Path)
    tried.add_argument("--all", action="store_true", help="judge all runs, and not the newest only")
    command("audit-check", _audit_check, "whether the audit log is as it was when it was sealed")
    command("resume", _resume, "say that a restored backup is the real installation, and no rehearsal")
    proven = command("backup-proven", _proven, "note that a backup could be restored elsewhere, or why not")
    proven.add_argument("file", type=Path)
    proven.add_argument("--trouble", help="why it could not")
    admin = command("create-admin", _create_admin, "create an administrator and print a one-time password")
    admin.add_argument("--email", required=True)
    admin.add_argument(
        "--if-none",
        action="store_true",
        help="do nothing if there is an administrator already; the password printed is no one-time password",
    )
    enrol = command("enrolment-token", _enrolment_token, "print a one-time token with which one host may join")
    enrol.add_argument("--minutes", type=int, default=60)
    token = command("api-token", _api_token, "print a new personal API token of an account")
    token.add_argument("--email", required=True)
    token.add_argument("--name", required=True)
    token.add_argument("--scope", choices=list(TokenScope), default=TokenScope.read, help="what it is for")
    token.add_argument("--days", type=int, default=30, help=f"until it expires, at most {MAX_TOKEN_DAYS}")
    lost = command("remove-passkeys", _remove_passkeys, "remove all passkeys of somebody who has lost their device")
    lost.add_argument("--email", required=True)
    schema = command("openapi", _openapi, "print the API's OpenAPI document")
    schema.add_argument("--output", type=Path)
    return parser


def main() -> int:
    """Entry point of ``ngxlab-server``."""
    arguments = _parser().parse_args()
    try:
        result: int = arguments.action(arguments)
    except ApiError as error:
        sys.stderr.write(f"{error.detail}\n")
        return 1
    except (BackupError, migrate.UnfitDatabaseError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except (OSError, DBAPIError) as error:
        sys.stderr.write(f"the database or Redis cannot be used: {error}\n".partition("\n")[0] + "\n")
        return 1
    except ValidationError as error:  # without what was given, which may be a secret
        for problem in error.errors():
            sys.stderr.write(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}\n")
        return 1
    return result


if __name__ == "__main__":
    sys.exit(main())
