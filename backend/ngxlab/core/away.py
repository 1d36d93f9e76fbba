"""Whether an error says that something the server needs is away."""

import asyncpg
from sqlalchemy.exc import DBAPIError

_AWAY = (
    ConnectionError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
)


def is_away(error: Exception) -> bool:
    """Whether the database, or whatever else is connected to, cannot be reached or has broken off."""
    return isinstance(error, _AWAY) or (isinstance(error, DBAPIError) and error.connection_invalidated)
