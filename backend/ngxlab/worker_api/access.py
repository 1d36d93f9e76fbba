"""Which machines may call an endpoint: a host's agent, and the coordinator."""

import math
import time
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from ngxlab.accounts import secrets
from ngxlab.core.access import bearer_token, decision
from ngxlab.core.config import Settings
from ngxlab.core.database import Database, SessionDep
from ngxlab.core.errors import NotSignedIn
from ngxlab.hosts.models import Host
from ngxlab.hosts.repository import host_by_credential_hash, is_credential

_KNOWN_FOR_S = 10.0


@decision("host")
async def host_briefly(request: Request) -> Host:
    """Dependency: an agent, for requests that wait; the database session is closed before they do."""
    database: Database = request.app.state.database
    async with database.transaction() as session:
        host = await registered_host(session, _credential_hash(request))
    _known(request).note(host.credential_hash)
    return host


class KnownCredentials:
    """Hashes of credentials that were a host's some seconds ago, which is enough to begin to read what it sends."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known_at: dict[str, float] = {}

    def note(self, credential_hash: str) -> None:
        """Remember what the database has just said."""
        self._known_at[credential_hash] = self._clock()

    def has(self, credential_hash: str) -> bool:
        return self._clock() - self._known_at.get(credential_hash, -math.inf) < _KNOWN_FOR_S


@decision("host")
async def known_credential(request: Request) -> str:
    """Dependency: the hash of a credential that was a host's some seconds ago, for an endpoint whose own statement asks
    whether it still is."""
    known, hashed = _known(request), _credential_hash(request)
    if not known.has(hashed):
        database: Database = request.app.state.database
        if not await is_credential(database, hashed):
            raise _unknown()
        known.note(hashed)
    return hashed


@decision("host", before_body=known_credential)
async def require_host(request: Request, session: SessionDep) -> Host:
    """Dependency: an enrolled host's agent, by its own credential."""
    host = await host_of(session, bearer_token(request) or "")
    _known(request).note(host.credential_hash)
    return host


async def host_of(session: AsyncSession, credential: str) -> Host:
    """The host with this credential. Raises NotSignedIn."""
    host = await host_by_credential_hash(session, secrets.token_hash(credential))
    if host is None:
        raise _unknown()
    return host


async def registered_host(session: AsyncSession, hashed: str) -> Host:
    """The host whose credential has this hash, without its inventory. Raises NotSignedIn."""
    alone = (defer(Host.inventory, raiseload=True), defer(Host.sightings, raiseload=True))
    host = await host_by_credential_hash(session, hashed, *alone)
    if host is None:
        raise _unknown()
    return host


def _known(request: Request) -> KnownCredentials:
    known: KnownCredentials = request.app.state.known_credentials
    return known


def _credential_hash(request: Request) -> str:
    bearer = bearer_token(request)
    if bearer is None:
        raise _unknown()
    return secrets.token_hash(bearer)


def _unknown() -> NotSignedIn:
    return NotSignedIn("This host's credential is unknown or was revoked. Enrol it again.", code="bad-credential")


@decision("coordinator")
async def require_coordinator(request: Request) -> None:
    """Dependency: the coordinator, by the secret of this installation."""
    settings: Settings = request.app.state.settings
    if not secrets.same(bearer_token(request) or "", settings.coordinator_token.get_secret_value()):
        raise NotSignedIn("The coordinator's token is wrong.", code="bad-credential")


KnownCredential = Annotated[str, Depends(known_credential)]
HostCaller = Annotated[Host, Depends(require_host)]
WaitingHostCaller = Annotated[Host, Depends(host_briefly)]
