"""Slow down password guessing: at most ten failures in 15 minutes for one client address and one account."""

from redis.asyncio import Redis

from ngxlab.core.errors import TooManyRequests

_LIMIT = 10
_WINDOW_S = 900


def _key(email: str, client: str) -> str:
    return f"ngxlab:login-failures:{client}:{email}"


async def refuse_if_throttled(redis: Redis, email: str, client: str) -> None:
    failures = await redis.get(_key(email, client))
    if failures is not None and int(failures) >= _LIMIT:
        raise TooManyRequests("Too many wrong passwords. Wait 15 minutes, then try again.", code="login-throttled")


async def note_failure(redis: Redis, email: str, client: str) -> None:
    key = _key(email, client)
    await redis.incr(key)
    await redis.expire(key, _WINDOW_S)


async def forget_failures(redis: Redis, email: str, client: str) -> None:
    await redis.delete(_key(email, client))
