"""Whether an error says that the database or Redis is away."""

from asyncpg import PostgresError
from sqlalchemy.exc import DBAPIError

_AWAY_STATES = ("08", "53", "57P")
"""Classes of SQLSTATE: the connection broke off; connections, memory or disk ran out; PostgreSQL starts or stops.
Source: PostgreSQL, Appendix A, "PostgreSQL Error Codes"."""


def driver_error(error: BaseException | None) -> BaseException | None:
    """The driver's own error, where SQLAlchemy has made another of it."""
    return getattr(error.orig, "__cause__", None) or error.orig if isinstance(error, DBAPIError) else error


def is_away(error: BaseException | None) -> bool:
    """Whether the database, or whatever else is connected to, cannot be reached or has broken off."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or is_away(driver_error(error))
    if isinstance(error, PostgresError) and str(error.sqlstate).startswith(_AWAY_STATES):
        return True
    return isinstance(error, ConnectionError | TimeoutError)
