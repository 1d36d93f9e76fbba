"""Bounds how often something may be tried: budgets that are counted in Redis, or here while Redis is away.

An attempt is counted before it is made and given back where it was none to count. So no number of parallel attempts
passes a limit: looking and counting are one step (a Lua script, which Redis runs alone).
"""

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import ceil
from typing import Protocol
from uuid import UUID

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from ngxlab.core.errors import TooManyRequests

AT_ONCE = 1
WAITING = 4
A_MINUTE = 300
"""Someone who types without a pause makes two or three a second."""
_MINUTE_S = 60.0


class _Share:
    def __init__(self, at_once: int) -> None:
        self.turn = asyncio.Semaphore(at_once)
        self.present = 0
        self.begun: deque[float] = deque()


class Quota:
    """What one process of the backend counts; whoever has nothing going on takes no memory."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._at_once = at_once
        self._shares: dict[UUID, _Share] = {}

    @asynccontextmanager
    async def turn(self, person: UUID) -> AsyncIterator[None]:
        """Waits until it is this person's turn. Raises TooManyRequests with the time to wait."""
        self._forget_the_idle()
        share = self._shares.setdefault(person, _Share(self._at_once))
        now = time.monotonic()
        while share.begun and share.begun[0] <= now - _MINUTE_S:
            share.begun.popleft()
        if len(share.begun) >= A_MINUTE:
            wait_s = ceil(share.begun[0] + _MINUTE_S - now)
            detail = f"More than {A_MINUTE} previews and changes in a minute. Try again in {wait_s} s."
            raise TooManyRequests(detail, code="quota", retry_after_s=wait_s)
        if share.present >= self._at_once + WAITING:
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


log = structlog.get_logger()

WINDOW_S = 900
"""The budget is whole again so long after the first counted attempt."""
_REDIS_WITHIN_S = 1.0
_MAX_LOCAL_KEYS = 20_000
_PREFIX = "ngxlab:throttle:"


@dataclass(frozen=True)
class Budget:
    """``limit`` attempts in a window for whatever ``name`` names. ``kind`` keeps names of different things apart."""

    kind: str
    name: str
    limit: int

    @property
    def key(self) -> str:
        """The key without the name itself: Redis need not know people's addresses."""
        return f"{_PREFIX}{self.kind}:{hashlib.sha256(self.name.encode()).hexdigest()[:32]}"


class _Counts(Protocol):
    async def take(self, budgets: Sequence[Budget]) -> float:
        """Count one attempt in all budgets: 0. Where one is used up, count none: seconds until it is whole again."""

    async def give_back(self, budgets: Sequence[Budget]) -> None: ...

    async def forget(self, budgets: Sequence[Budget]) -> None: ...


_TAKE = """
local wait = 0
for i, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or '0') >= tonumber(ARGV[i + 1]) then
    wait = math.max(wait, redis.call('PTTL', key), 1)
  end
end
if wait == 0 then
  for _, key in ipairs(KEYS) do
    if redis.call('INCR', key) == 1 then redis.call('PEXPIRE', key, ARGV[1]) end
  end
end
return wait
"""
_GIVE_BACK = """
for _, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or '0') > 0 then redis.call('DECR', key) end
end
"""


class _RedisCounts:
    """Shared by all backend processes."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._take = redis.register_script(_TAKE)
        self._give_back = redis.register_script(_GIVE_BACK)

    async def take(self, budgets: Sequence[Budget]) -> float:
        limits = [budget.limit for budget in budgets]
        wait_ms = await self._take(keys=[budget.key for budget in budgets], args=[WINDOW_S * 1000, *limits])
        return int(wait_ms) / 1000

    async def give_back(self, budgets: Sequence[Budget]) -> None:
        await self._give_back(keys=[budget.key for budget in budgets])

    async def forget(self, budgets: Sequence[Budget]) -> None:
        await self._redis.delete(*(budget.key for budget in budgets))


class _LocalCounts:
    """Counts of this process alone: without Redis each process counts for itself."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, float]] = {}

    async def take(self, budgets: Sequence[Budget]) -> float:
        now = time.monotonic()
        counted = {budget.key: self._counts.get(budget.key, (0, now + WINDOW_S)) for budget in budgets}
        counted = {key: entry if entry[1] > now else (0, now + WINDOW_S) for key, entry in counted.items()}
        waits = [counted[budget.key][1] - now for budget in budgets if counted[budget.key][0] >= budget.limit]
        if waits:
            return max(waits)
        self._make_room(now)
        self._counts |= {key: (count + 1, until) for key, (count, until) in counted.items()}
        return 0

    async def give_back(self, budgets: Sequence[Budget]) -> None:
        for budget in budgets:
            if budget.key in self._counts:
                count, until = self._counts[budget.key]
                self._counts[budget.key] = (max(count - 1, 0), until)

    async def forget(self, budgets: Sequence[Budget]) -> None:
        for budget in budgets:
            self._counts.pop(budget.key, None)

    def _make_room(self, now: float) -> None:
        """Memory is bounded: what is over goes first, then the oldest."""
        if len(self._counts) >= _MAX_LOCAL_KEYS:
            counting = [(key, entry) for key, entry in self._counts.items() if entry[0] and entry[1] > now]
            self._counts = dict(counting[-_MAX_LOCAL_KEYS // 2 :])


@dataclass(frozen=True)
class Taken:
    """An attempt that was counted, and where."""

    _counted_by: tuple[_Counts, ...]
    _budgets: tuple[Budget, ...]

    async def succeeded(self, *, forgotten: Sequence[Budget] = (), counted: Sequence[Budget] = ()) -> None:
        """It is not held against anybody, but in the ``counted`` budgets; of the ``forgotten`` ones, nor are earlier
        ones."""
        kept = [budget for budget in self._budgets if budget not in (*forgotten, *counted)]
        try:
            async with asyncio.timeout(_REDIS_WITHIN_S):
                for counts in self._counted_by:
                    if kept:
                        await counts.give_back(kept)
                    if forgotten:
                        await counts.forget(forgotten)
        except (RedisError, OSError, TimeoutError) as error:  # then it stays counted until the window ends
            log.warning("an attempt was not given back", error=type(error).__name__)


class Throttle:
    """Counts attempts of one backend."""

    def __init__(self, redis: Redis) -> None:
        self._shared = _RedisCounts(redis)
        self._local = _LocalCounts()

    async def take(self, *budgets: Budget, refusal: str) -> Taken:
        """Count an attempt before it is made.

        Raises TooManyRequests, with ``refusal`` and when to try again, where a budget is used up.
        """
        counted_by: tuple[_Counts, ...] = (self._local, self._shared)
        wait_s = await self._local.take(budgets)  # always: a Redis that comes and goes must not double the budgets
        if wait_s == 0:
            try:
                async with asyncio.timeout(_REDIS_WITHIN_S):
                    wait_s = await self._shared.take(budgets)
            except (RedisError, OSError, TimeoutError) as error:
                log.warning("attempts are counted without Redis", error=type(error).__name__)
                counted_by = (self._local,)
            if wait_s > 0:
                await self._local.give_back(budgets)
        if wait_s > 0:
            raise TooManyRequests(f"{refusal} Try again {_in_words(wait_s)}.", code="throttled", retry_after_s=wait_s)
        return Taken(counted_by, budgets)


def _in_words(seconds: float) -> str:
    minutes = -(-seconds // 60)
    return "in a minute" if minutes <= 1 else f"in {minutes:.0f} minutes"
