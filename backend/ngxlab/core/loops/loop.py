"""A loop of the backend: looks, rests, looks again, whatever goes wrong; ``/readyz`` shows the age of its last look."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Collection
from typing import Any

import structlog
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError

log = structlog.get_logger()

_AGAIN_S = 30.0
"""The longest rest after a round that failed."""


class Loop:
    """``look`` does one round, and may say that there is more to do: the rest after it is then ``busy_s``, otherwise
    ``period_s``. ``wake`` and :meth:`tell` end a rest.

    Several processes of the backend loop at once, so what a round does is claimed in the database.
    """

    def __init__(
        self,
        name: str,
        look: Callable[[], Awaitable[bool | None]],
        period_s: float,
        *,
        busy_s: float = 0.0,
        wake: asyncio.Event | None = None,
    ) -> None:
        self.name = name
        self._look = look
        self._period_s, self._busy_s = period_s, busy_s
        self._wake = wake or asyncio.Event()
        self._looked_at = time.monotonic()
        self._rests = False

    def tell(self, *, anything_to_do: bool) -> None:
        """What the database says. Where it is nothing, a loop that rests is as good as one that has just looked."""
        if anything_to_do:
            self._wake.set()
        elif self._rests:
            self._looked_at = time.monotonic()

    def age_s(self) -> float:
        """Seconds since the last whole round."""
        return time.monotonic() - self._looked_at

    async def run_for_ever(self) -> None:
        """Never ends by itself; PostgreSQL and Redis are waited for."""
        while True:
            rest_s = min(self._period_s, _AGAIN_S)
            self._wake.clear()
            self._rests = False
            try:
                rest_s = self._busy_s if await self._look() else self._period_s
                self._looked_at = time.monotonic()
                self._rests = True
            except (SQLAlchemyError, RedisError, OSError) as error:
                log.warning("a loop could not look", loop=self.name, error=f"{type(error).__name__}: {error}")
            except Exception:
                log.exception("a loop could not look", loop=self.name)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_until_all_look(rest_s)):
                    await self._wake.wait()


def _until_all_look(rest_s: float) -> float:
    """A rest that ends when those of all loops of this machine end: one after the other they find the caches of the
    processor warm, and cost half of what each costs by itself."""
    return rest_s - time.monotonic() % rest_s if rest_s else 0.0


async def end(tasks: Collection[asyncio.Task[Any]], within_s: float) -> None:
    """Cancel tasks and wait for their end. One that goes on is left, and the log says where it stands: whatever ends
    the process is not kept waiting."""
    for task in tasks:
        task.cancel()
    left = (await asyncio.wait(tasks, timeout=within_s))[1] if tasks else ()
    for task in left:
        log.error("a task goes on after its cancellation", at=_where(task.get_coro()))


def _where(coroutine: Any) -> list[str]:
    """Where a suspended coroutine stands, from the outermost of its calls on."""
    found: list[str] = []
    while (frame := getattr(coroutine, "cr_frame", None)) is not None:
        found.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        coroutine = coroutine.cr_await
    return found
