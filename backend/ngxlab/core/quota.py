"""How much of a shared resource one person may take: so many at once, so many waiting, so many a minute."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import ceil
from uuid import UUID

from ngxlab.core.errors import TooManyRequests

AT_ONCE = 1
WAITING = 4
A_MINUTE = 300
"""Someone who types without a pause makes two or three a second."""
_MINUTE_S = 60.0


class _Share:
    def __init__(self) -> None:
        self.turn = asyncio.Semaphore(AT_ONCE)
        self.present = 0
        self.begun: deque[float] = deque()


class Quota:
    """Of one process of the backend; whoever has nothing going on takes no memory."""

    def __init__(self) -> None:
        self._shares: dict[UUID, _Share] = {}

    @asynccontextmanager
    async def turn(self, person: UUID) -> AsyncIterator[None]:
        """Waits until it is this person's turn. Raises TooManyRequests with the time to wait."""
        self._forget_the_idle()
        share = self._shares.setdefault(person, _Share())
        now = time.monotonic()
        while share.begun and share.begun[0] <= now - _MINUTE_S:
            share.begun.popleft()
        if len(share.begun) >= A_MINUTE:
            wait_s = ceil(share.begun[0] + _MINUTE_S - now)
            detail = f"More than {A_MINUTE} previews and changes in a minute. Try again in {wait_s} s."
            raise TooManyRequests(detail, code="quota", retry_after_s=wait_s)
        if share.present >= AT_ONCE + WAITING:
            detail = "Your earlier previews and changes are still being worked out. Try again in a moment."
            raise TooManyRequests(detail, code="quota", retry_after_s=1)
        share.begun.append(now)
        share.present += 1
        try:
            async with share.turn:
                yield
        finally:
            share.present -= 1

    def _forget_the_idle(self) -> None:
        old = time.monotonic() - _MINUTE_S
        for person, share in list(self._shares.items()):
            if not share.present and (not share.begun or share.begun[-1] <= old):
                del self._shares[person]
