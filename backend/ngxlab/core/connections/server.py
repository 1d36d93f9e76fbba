"""uvicorn's server, which looks ten times a second whether it should end; here a signal says so."""

import asyncio
import contextlib
from collections.abc import Callable
from types import FrameType

from uvicorn import Config, Server

_DATE_EVERY_S = 1.0
"""The header Date of answers is made so often."""


class QuietServer(Server):
    """Wakes once a second while nobody asks anything."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._wake: Callable[[], object] = lambda: None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The signal that ends the process."""
        super().handle_exit(sig, frame)
        self._wake()

    async def main_loop(self) -> None:
        """Returns when the server should end."""
        ending, loop = asyncio.Event(), asyncio.get_running_loop()
        self._wake = lambda: loop.call_soon_threadsafe(ending.set)
        while not await self.on_tick(0):  # of the first of ten ticks, which makes the date
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_DATE_EVERY_S):
                    await ending.wait()
