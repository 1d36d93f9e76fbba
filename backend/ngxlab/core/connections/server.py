"""uvicorn's server, which looks ten times a second whether it should end; here a signal says so."""

import asyncio
import time
from collections.abc import Callable
from email.utils import formatdate
from types import FrameType

from uvicorn import Config, Server
from uvicorn.server import ServerState


class QuietServer(Server):
    """Does not wake while nobody asks anything."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.server_state = _DatedState(config)
        self._wake: Callable[[], object] = lambda: None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The signal that ends the process."""
        super().handle_exit(sig, frame)
        self._wake()

    async def main_loop(self) -> None:
        """Returns when the server should end."""
        ending, loop = asyncio.Event(), asyncio.get_running_loop()
        self._wake = lambda: loop.call_soon_threadsafe(ending.set)
        if not self.should_exit:
            await ending.wait()


class _DatedState(ServerState):
    """Makes the header Date when an answer needs it, at most once a second."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._dated_at = -1
        self._headers: list[tuple[bytes, bytes]] = []
        super().__init__()

    @property
    def default_headers(self) -> list[tuple[bytes, bytes]]:
        now = int(time.time())
        if now != self._dated_at:
            date = [(b"date", formatdate(now, usegmt=True).encode())] if self._config.date_header else []
            self._dated_at, self._headers = now, date + self._config.encoded_headers
        return self._headers

    @default_headers.setter
    def default_headers(self, _: list[tuple[bytes, bytes]]) -> None:
        """What uvicorn gives to begin with is not used: its configuration is not loaded yet."""
