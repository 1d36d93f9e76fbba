"""What an operator does on the server's own machine, beside starting it: the commands of ``ngxlab-server``."""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from uuid import UUID

from ngxlab_contracts.version import VERSION
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository as accounts
from ngxlab.accounts import secrets, tokens
from ngxlab.accounts import service as account_service
from ngxlab.accounts.models import Account, Role
from ngxlab.accounts.schemas import AccountCreate, TokenCreate
from ngxlab.audit import seals
from ngxlab.audit.acts import Act
from ngxlab.audit.record import INSTALLATION, Object, record, system
from ngxlab.core import migrate
from ngxlab.core.backup import BackupError, back_up, examine, restore
from ngxlab.core.bus import Bus, connect_redis
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings, get_settings
from ngxlab.core.database import Database
from ngxlab.core.errors import ApiError
from ngxlab.core.migrate import migrate_database, owners_url
from ngxlab.core.rehearsal import become_real

_OPERATOR = system("operator of the server")


def perform(arguments: argparse.Namespace) -> int:
    return _COMMANDS[arguments.command](arguments)


def sentence_of(error: Exception) -> str | None:
    """What an operator is told of a command that failed; ``None`` of an error that is ours."""
    if isinstance(error, ApiError):
        return error.detail
    if isinstance(error, BackupError | migrate.UnfitDatabaseError):
        return str(error)
    if isinstance(error, OSError | DBAPIError):
        return f"the database or Redis cannot be used: {error}\n".partition("\n")[0]
    if isinstance(error, ValidationError):  # without what was given, which may be a secret
        return "\n".join(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors())
    return None


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


def _back_up(arguments: argparse.Namespace) -> int:
    from ngxlab.retention import repository as storage  # noqa: PLC0415 (seconds that the other commands do not need)
    from ngxlab.retention.models import Backup  # noqa: PLC0415 (seconds that the other commands do not need)

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
    from ngxlab.retention import repository as storage  # noqa: PLC0415 (seconds that the other commands do not need)

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
    found = restore(owners_url(get_settings()), arguments.file, replace=arguments.replace, is_real=arguments.resume)
    migrate_database(get_settings())
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


def _begin(arguments: argparse.Namespace) -> int:
    migrate_database(get_settings())

    async def work(session: AsyncSession, _: Settings) -> int:
        if (made := await _first_administrator(session, arguments.email)) is not None:
            account, password = made
            token = await _token(session, account, arguments)
            _say(json.dumps({"password": password, "token": token}))
        return 0

    return _with_session(work)


async def _first_administrator(session: AsyncSession, email: str) -> tuple[Account, str] | None:
    """The account and its password, for a program that keeps it; ``None`` where there is an administrator already."""
    if any(account.role == Role.administrator for account in await accounts.accounts(session)):
        return None
    password = secrets.new_password()
    account = await account_service.add_account(session, AccountCreate(email=email, role=Role.administrator), password)
    await _note_administrator(session, account.id, account.email)
    return account, password


async def _note_administrator(session: AsyncSession, account_id: UUID, email: str) -> None:
    on = Object("account", account_id, email)
    await record(session, _OPERATOR, Act.account_created, on, role=Role.administrator)


def _create_admin(arguments: argparse.Namespace) -> int:
    async def work(session: AsyncSession, _: Settings) -> int:
        if arguments.if_none:
            if (made := await _first_administrator(session, arguments.email)) is not None:
                _say(made[1])
            return 0
        request = AccountCreate(email=arguments.email, role=Role.administrator)
        given = await account_service.create_account(session, request)
        await _note_administrator(session, given.account.id, given.account.email)
        _say(given.password)
        return 0

    return _with_session(work)


def _enrolment_token(arguments: argparse.Namespace) -> int:
    from ngxlab.hosts.service import create_enrolment_token  # noqa: PLC0415 (seconds that the other commands do not need)

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
        _say(await _token(session, account, arguments))
        return 0

    return _with_session(work)


async def _token(session: AsyncSession, account: Account, arguments: argparse.Namespace) -> str:
    request = TokenCreate(name=arguments.name, scope=arguments.scope, expires_in_days=arguments.days)
    made = await tokens.create(session, account, request)
    detail = {"of": account.email, "scope": request.scope, "expires_in_days": request.expires_in_days}
    await record(session, _OPERATOR, Act.token_created, Object("token", made.id, made.name), **detail)
    return made.token


def _remove_passkeys(arguments: argparse.Namespace) -> int:
    from ngxlab.accounts import passkeys  # noqa: PLC0415 (seconds that the other commands do not need)

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


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "backup": _back_up,
    "restore": _restore,
    "upgrade-check": _upgrade_check,
    "audit-check": _audit_check,
    "resume": _resume,
    "backup-proven": _proven,
    "begin": _begin,
    "create-admin": _create_admin,
    "enrolment-token": _enrolment_token,
    "api-token": _api_token,
    "remove-passkeys": _remove_passkeys,
    "openapi": _openapi,
}
