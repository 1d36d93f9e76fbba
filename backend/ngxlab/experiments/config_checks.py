"""Have a host's own nginx test every arm."""

from uuid import UUID

from ngxlab_contracts.config_check import ConfigCheckResult, ConfigCheckSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.access import Caller
from ngxlab.errors import Unavailable
from ngxlab.experiments.config_check_schemas import ConfigCheckCreate, ConfigCheckOut
from ngxlab.hosts.models import Host


async def create(session: AsyncSession, caller: Caller, request: ConfigCheckCreate) -> ConfigCheckOut:
    raise Unavailable("Coming with the next commit.")


async def get(session: AsyncSession, check_id: UUID) -> ConfigCheckOut:
    raise Unavailable("Coming with the next commit.")


async def request_of(session: AsyncSession, host: Host, check_id: UUID) -> ConfigCheckSpec:
    raise Unavailable("Coming with the next commit.")


async def accept(session: AsyncSession, host: Host, check_id: UUID, result: ConfigCheckResult) -> None:
    raise Unavailable("Coming with the next commit.")
