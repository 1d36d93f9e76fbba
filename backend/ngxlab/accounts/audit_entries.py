"""What the audit log keeps about people."""

from ngxlab.accounts import repository
from ngxlab.accounts.models import Account
from ngxlab.audit.acts import Act
from ngxlab.audit.record import ANYONE, Actor, Object, network, record_once
from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.core.request_context import current_request


def account_object(account: Account) -> Object:
    return Object("account", account.id, account.email)


def actor(account: Account) -> Actor:
    """Somebody who has just proved to be the owner of this account."""
    return Actor("person", account.email, account.id)


async def record_failed_sign_in(database: Database, email: str | None, reason: str) -> None:
    """Enter a refused sign-in, in a transaction of its own because the refusal rolls the request's back.

    Entered once a day by account, reason and network, and counted: guessing must not fill the log. An address that
    has no account is left out, since people type passwords into the wrong field.
    """
    request = current_request()
    source = network(request.address if request else None)
    async with database.transaction() as own:
        account = await repository.account_by_email(own, email) if email else None
        key = f"sign-in-failed {account.id if account else '-'} {reason} {source} {utcnow():%Y-%m-%d}"
        on = account_object(account) if account else None
        await record_once(own, key, ANYONE, Act.sign_in_failed, on, reason=reason, network=source)
