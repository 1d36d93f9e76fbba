"""How many files are made at once, by a process of the backend and for each person or share."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from ngxlab.core.quota import Quota

AT_ONCE = 2


class ExportTurns:
    """Each file takes a connection to the database and much of a processor."""

    def __init__(self) -> None:
        self._quota, self._places = Quota(), asyncio.Semaphore(AT_ONCE)

    @asynccontextmanager
    async def turn(self, who: UUID) -> AsyncIterator[None]:
        """Waits for a place. Raises TooManyRequests for who has too many files on their way."""
        async with self._quota.turn(who), self._places:
            yield
