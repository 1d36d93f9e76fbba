"""SQL of accounts, sessions and tokens."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Text,
    and_,
    any_,
    delete,
    exists,
    false,
    func,
    literal,
    not_,
    select,
    union_all,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.models import (
    Account,
    AccountIdentity,
    ApiToken,
    KnownDevice,
    LinkPermit,
    LoginSession,
    Passkey,
    PasskeyChallenge,
    Role,
)
from ngxlab.core.config import Demand
from ngxlab.core.database import Database

_USE_NOTED_EVERY = timedelta(minutes=1)


async def account_by_email(session: AsyncSession, email: str) -> Account | None:
    """Also where it was stored with a domain in other letters than ASCII, as earlier versions did."""
    name, _, domain = email.rpartition("@")
    with suppress(UnicodeError):
        domain = domain.encode().decode("idna")
    return await session.scalar(select(Account).where(Account.email.in_([email, f"{name}@{domain}"])))


async def account_by_id(session: AsyncSession, account_id: UUID) -> Account | None:
    return await session.get(Account, account_id)


async def accounts(session: AsyncSession) -> Sequence[Account]:
    return (await session.scalars(select(Account).order_by(Account.email))).all()


async def locked_account(session: AsyncSession, account_id: UUID) -> Account | None:
    """The account as it is now, unchanged by anybody else until the end of the transaction."""
    query = select(Account).where(Account.id == account_id)
    return await session.scalar(query.with_for_update(key_share=True).execution_options(populate_existing=True))


async def lock_active_administrators(session: AsyncSession) -> set[UUID]:
    """All of them, in one order for everybody: so two of them cannot demote each other at once, nor wait for ever."""
    locked = select(Account.id).where(Account.role == Role.administrator, Account.disabled_at.is_(None))
    return set((await session.scalars(locked.order_by(Account.id).with_for_update(key_share=True))).all())


async def session_by_hash(session: AsyncSession, token_hash: str, now: datetime) -> LoginSession | None:
    query = select(LoginSession).where(LoginSession.token_hash == token_hash, LoginSession.expires_at > now)
    return await session.scalar(query)


async def note_session_use(session: AsyncSession, login_id: UUID, now: datetime) -> None:
    """Stored at most once a minute, as of tokens."""
    stale = LoginSession.last_used_at < now - _USE_NOTED_EVERY
    await session.execute(update(LoginSession).where(LoginSession.id == login_id, stale).values(last_used_at=now))


async def sessions_of(session: AsyncSession, account_id: UUID, now: datetime) -> Sequence[LoginSession]:
    query = select(LoginSession).where(LoginSession.account_id == account_id, LoginSession.expires_at > now)
    return (await session.scalars(query.order_by(LoginSession.last_used_at.desc(), LoginSession.id))).all()


async def delete_session_of(session: AsyncSession, account_id: UUID, session_id: UUID) -> bool:
    """Whether there was one."""
    query = delete(LoginSession).where(LoginSession.id == session_id, LoginSession.account_id == account_id)
    return (await session.scalar(query.returning(LoginSession.id))) is not None


async def delete_sessions_of(session: AsyncSession, account_id: UUID, *, keep: UUID | None = None) -> None:
    query = delete(LoginSession).where(LoginSession.account_id == account_id)
    await session.execute(query if keep is None else query.where(LoginSession.id != keep))


async def delete_expired_sessions(session: AsyncSession, now: datetime) -> None:
    await session.execute(delete(LoginSession).where(LoginSession.expires_at <= now))


async def api_token_by_hash(session: AsyncSession, token_hash: str, now: datetime) -> ApiToken | None:
    query = select(ApiToken).where(
        ApiToken.token_hash == token_hash,
        ApiToken.revoked_at.is_(None),
        ApiToken.expires_at > now,
    )
    return await session.scalar(query)


def lacks_passkey(whom: Demand) -> ColumnElement[bool]:
    """Whether an account has to add a passkey, where the installation demands one. Without a password nobody needs one:
    the provider has a second factor of its own.
    """
    if whom == "nobody":
        return false()
    has_one = exists().where(Passkey.account_id == Account.id)
    lacks = and_(Account.password_hash.is_not(None), not_(has_one))
    return lacks if whom == "everybody" else and_(Account.role == Role.administrator, lacks)


async def must_add_passkey(session: AsyncSession, account_id: UUID, whom: Demand) -> bool:
    if whom == "nobody":
        return False
    return await session.scalar(select(Account.id).where(Account.id == account_id, lacks_passkey(whom))) is not None


async def valid_credentials(
    database: Database, session_hashes: Collection[str], token_hashes: Collection[str], now: datetime, whom: Demand
) -> dict[str, tuple[UUID, Role]]:
    """The hashes among these sessions and tokens whose people may read now, and who these are.

    ``whom``: of whom a passkey is demanded.
    """
    may_read = (Account.disabled_at.is_(None), Account.one_time_password_until.is_(None))
    sessions = select(LoginSession.token_hash, Account.id, Account.role).join(
        Account, Account.id == LoginSession.account_id
    )
    tokens = select(ApiToken.token_hash, Account.id, Account.role).join(Account, Account.id == ApiToken.account_id)
    query = union_all(
        sessions.where(
            LoginSession.token_hash == any_(literal(list(session_hashes), ARRAY(Text))),
            LoginSession.expires_at > now,
            not_(lacks_passkey(whom)),
            *may_read,
        ),
        tokens.where(
            ApiToken.token_hash == any_(literal(list(token_hashes), ARRAY(Text))),
            ApiToken.revoked_at.is_(None),
            ApiToken.expires_at > now,
            *may_read,
        ),
    )
    return {hashed: (account_id, Role(role)) for hashed, account_id, role in await database.alone(query)}


async def note_token_use(session: AsyncSession, token_id: UUID, now: datetime) -> None:
    """Stored at most once a minute, so that a busy script does not write with every request."""
    stale = (ApiToken.last_used_at.is_(None)) | (ApiToken.last_used_at < now - _USE_NOTED_EVERY)
    await session.execute(update(ApiToken).where(ApiToken.id == token_id, stale).values(last_used_at=now))


async def api_tokens_of(session: AsyncSession, account_id: UUID) -> Sequence[ApiToken]:
    """Tokens that are not revoked; expired ones too, so that their owner sees why a script stopped."""
    query = select(ApiToken).where(ApiToken.account_id == account_id, ApiToken.revoked_at.is_(None))
    return (await session.scalars(query.order_by(ApiToken.created_at, ApiToken.id))).all()


async def revoke_tokens_of(session: AsyncSession, account_id: UUID, now: datetime) -> None:
    mine = update(ApiToken).where(ApiToken.account_id == account_id, ApiToken.revoked_at.is_(None))
    await session.execute(mine.values(revoked_at=now))


async def passkeys_of(session: AsyncSession, account_id: UUID) -> Sequence[Passkey]:
    query = select(Passkey).where(Passkey.account_id == account_id)
    return (await session.scalars(query.order_by(Passkey.created_at, Passkey.id))).all()


async def has_passkey(session: AsyncSession, account_id: UUID) -> bool:
    return await session.scalar(select(Passkey.id).where(Passkey.account_id == account_id).limit(1)) is not None


async def locked_passkey(session: AsyncSession, account_id: UUID, credential_id: bytes) -> Passkey | None:
    """The account's passkey, locked: nobody else compares or changes its counter until the end of the transaction."""
    query = select(Passkey).where(Passkey.account_id == account_id, Passkey.credential_id == credential_id)
    return await session.scalar(query.with_for_update().execution_options(populate_existing=True))


async def delete_passkeys_of(session: AsyncSession, account_id: UUID) -> Sequence[str]:
    """Their names."""
    query = delete(Passkey).where(Passkey.account_id == account_id).returning(Passkey.name)
    return (await session.scalars(query)).all()


async def add_challenge(session: AsyncSession, challenge: PasskeyChallenge, now: datetime) -> None:
    await session.execute(delete(PasskeyChallenge).where(PasskeyChallenge.expires_at <= now))
    session.add(challenge)


async def take_challenge(session: AsyncSession, challenge: str, account_id: UUID, purpose: str, now: datetime) -> bool:
    """Whether there was such a challenge, still valid. Nobody takes it a second time."""
    taken = delete(PasskeyChallenge).where(
        PasskeyChallenge.challenge == challenge,
        PasskeyChallenge.account_id == account_id,
        PasskeyChallenge.purpose == purpose,
    )
    expires_at = await session.scalar(taken.returning(PasskeyChallenge.expires_at))
    return expires_at is not None and expires_at > now


async def device_known(
    session: AsyncSession, token_hash: str, used_since: datetime, account_id: UUID | None = None
) -> bool:
    """Whether this account, or any, was signed in to from the device."""
    query = select(KnownDevice.account_id).where(
        KnownDevice.token_hash == token_hash, KnownDevice.last_used_at > used_since
    )
    if account_id is not None:
        query = query.where(KnownDevice.account_id == account_id)
    return (await session.scalar(query.limit(1))) is not None


async def remember_device(session: AsyncSession, account_id: UUID, token_hash: str, now: datetime) -> None:
    row = insert(KnownDevice).values(account_id=account_id, token_hash=token_hash, last_used_at=now)
    again = row.on_conflict_do_update(index_elements=["account_id", "token_hash"], set_={"last_used_at": now})
    await session.execute(again)


async def forget_oldest_devices(session: AsyncSession, account_id: UUID, *, keep: int) -> None:
    mine = select(KnownDevice.token_hash).where(KnownDevice.account_id == account_id)
    oldest = mine.order_by(KnownDevice.last_used_at.desc()).offset(keep)
    await session.execute(
        delete(KnownDevice).where(KnownDevice.account_id == account_id, KnownDevice.token_hash.in_(oldest))
    )


async def delete_devices_of(session: AsyncSession, account_id: UUID) -> None:
    await session.execute(delete(KnownDevice).where(KnownDevice.account_id == account_id))


async def one_at_a_time(session: AsyncSession, email: str) -> None:
    """Two first sign-ins of one person at once make one account. Holds until the commit."""
    await session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"ngxlab account {email}", 0))))


async def identity(session: AsyncSession, issuer: str, subject: str) -> AccountIdentity | None:
    return await session.get(AccountIdentity, (issuer, subject))


async def identities(session: AsyncSession) -> Sequence[AccountIdentity]:
    return (await session.scalars(select(AccountIdentity).order_by(AccountIdentity.created_at))).all()


async def has_identity(session: AsyncSession, account_id: UUID) -> bool:
    query = select(AccountIdentity.subject).where(AccountIdentity.account_id == account_id)
    return await session.scalar(query.limit(1)) is not None


async def permits(session: AsyncSession, now: datetime) -> dict[UUID, datetime]:
    """Valid leave to link, by account: until when."""
    rows = await session.execute(
        select(LinkPermit.account_id, LinkPermit.expires_at).where(LinkPermit.expires_at > now)
    )
    return {row.account_id: row.expires_at for row in rows}


async def permit(session: AsyncSession, account_id: UUID, expires_at: datetime) -> None:
    row = insert(LinkPermit).values(account_id=account_id, expires_at=expires_at)
    await session.execute(row.on_conflict_do_update(index_elements=["account_id"], set_={"expires_at": expires_at}))


async def take_permit(session: AsyncSession, account_id: UUID, now: datetime) -> bool:
    """Whether there was valid leave. It holds for one identity."""
    taken = delete(LinkPermit).where(LinkPermit.account_id == account_id).returning(LinkPermit.expires_at)
    expires_at = await session.scalar(taken)
    return expires_at is not None and expires_at > now
