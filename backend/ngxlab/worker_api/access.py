"""Which machines may call an endpoint: a host's agent, and the coordinator."""

from typing import Annotated

from fastapi import Depends, Request

from ngxlab.accounts import secrets
from ngxlab.core.access import bearer_token, decision
from ngxlab.core.config import Settings
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.errors import NotSignedIn
from ngxlab.hosts.models import Host
from ngxlab.hosts.repository import host_by_credential_hash


@decision("host")
async def host_briefly(request: Request) -> Host:
    """Dependency: an agent, for requests that wait; the database session is closed before they do."""
    database: Database = request.app.state.database
    async with database.transaction() as session:
        return await require_host(request, session)


@decision("host")
async def require_host(request: Request, session: SessionDep) -> Host:
    """Dependency: an enrolled host's agent, by its own credential."""
    bearer = bearer_token(request)
    host = await host_by_credential_hash(session, secrets.token_hash(bearer)) if bearer else None
    if host is None:
        raise NotSignedIn("This host's credential is unknown or was revoked. Enrol it again.", code="bad-credential")
    return host


@decision("coordinator")
async def require_coordinator(request: Request) -> None:
    """Dependency: the coordinator, by the secret of this installation."""
    settings: Settings = request.app.state.settings
    if not secrets.same(bearer_token(request) or "", settings.coordinator_token.get_secret_value()):
        raise NotSignedIn("The coordinator's token is wrong.", code="bad-credential")


HostCaller = Annotated[Host, Depends(require_host)]
WaitingHostCaller = Annotated[Host, Depends(host_briefly)]
