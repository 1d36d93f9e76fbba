"""Which machines may call an endpoint: a host's agent, and the coordinator."""

from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer
from sqlalchemy.sql.base import ExecutableOption

from ngxlab.accounts import secrets
from ngxlab.core.access import bearer_token, before_body, decision
from ngxlab.core.config import Settings
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.errors import NotSignedIn
from ngxlab.hosts.models import Host
from ngxlab.hosts.repository import host_by_credential_hash, is_credential


@decision("host")
async def host_briefly(request: Request) -> Host:
    """Dependency: an agent, for requests that wait; the database session is closed before they do."""
    database: Database = request.app.state.database
    async with database.transaction() as session:
        return await require_host_alone(request, session)


async def _is_known(request: Request, session: AsyncSession) -> None:
    """Decides as :func:`require_host` does, without the inventory, by far the longest of a host's columns."""
    bearer = bearer_token(request)
    if not bearer or not await is_credential(session, secrets.token_hash(bearer)):
        raise _unknown()


@decision("host")
@before_body(_is_known)
async def require_host(request: Request, session: SessionDep) -> Host:
    """Dependency: an enrolled host's agent, by its own credential."""
    return await _host(request, session)


@decision("host")
@before_body(_is_known)
async def require_host_alone(request: Request, session: SessionDep) -> Host:
    """Dependency: as :func:`require_host`, for what is called every second: without the host's inventory."""
    return await _host(request, session, defer(Host.inventory, raiseload=True), defer(Host.sightings, raiseload=True))


async def _host(request: Request, session: AsyncSession, *options: ExecutableOption) -> Host:
    bearer = bearer_token(request)
    host = await host_by_credential_hash(session, secrets.token_hash(bearer), *options) if bearer else None
    if host is None:
        raise _unknown()
    return host


def _unknown() -> NotSignedIn:
    return NotSignedIn("This host's credential is unknown or was revoked. Enrol it again.", code="bad-credential")


@decision("coordinator")
async def require_coordinator(request: Request) -> None:
    """Dependency: the coordinator, by the secret of this installation."""
    settings: Settings = request.app.state.settings
    if not secrets.same(bearer_token(request) or "", settings.coordinator_token.get_secret_value()):
        raise NotSignedIn("The coordinator's token is wrong.", code="bad-credential")


HostCaller = Annotated[Host, Depends(require_host)]
HostCallerAlone = Annotated[Host, Depends(require_host_alone)]
WaitingHostCaller = Annotated[Host, Depends(host_briefly)]
