"""TCP links that a test can slow down, stall and cut: a small proxy between two real ends.

A stalled link is what a dead switch or a lost route looks like: connections stay open and nothing arrives. A cut one
closes its connections and refuses new ones.
"""

import asyncio
import contextlib
import random
import socket
import struct
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

CHUNK = 65_536
LOOPBACK = "127.0.0.1"
QUEUED = 256
"""Chunks on their way: beyond that, the sender is held up, as by TCP's window."""
LOSS_SHARE = 0.05
RETRANSMISSION_S = (0.2, 1.5)
"""What a lost packet costs a TCP connection."""
REPEATED_WITHIN_S = 60


@dataclass
class Link:
    """``port`` of 127.0.0.1 leads to ``target``. Conditions may be combined and are changed from any thread."""

    name: str
    target: tuple[str, int]
    loop: asyncio.AbstractEventLoop
    port: int = 0
    delay_s: float = 0.0
    lossy: bool = False
    answers: bool = True
    _open: bool = True
    _heard: "list[bytearray] | None" = None
    """What each connection has asked that began while everything is repeated."""
    _server: asyncio.Server | None = None
    _passing: asyncio.Event = field(default_factory=asyncio.Event)
    _connections: set[asyncio.StreamWriter] = field(default_factory=set)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def listen(self) -> None:
        self._passing.set()
        self._server = await asyncio.start_server(self._connect, LOOPBACK, 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._reset_all()

    @contextmanager
    def delayed(self, seconds: float) -> Iterator[None]:
        """Each chunk arrives so much later; the rate stays."""
        self.delay_s = seconds
        try:
            yield
        finally:
            self.delay_s = 0.0

    @contextmanager
    def losing(self) -> Iterator[None]:
        """One chunk of twenty comes late, as where TCP has to send it again, and what follows waits for it."""
        self.lossy = True
        try:
            yield
        finally:
            self.lossy = False

    @contextmanager
    def unanswered(self) -> Iterator[None]:
        """What is asked arrives, and in place of an answer the connection is reset: who asks again asks twice."""
        self.answers = False
        try:
            yield
        finally:
            self.answers = True

    @contextmanager
    def repeated(self) -> Iterator[None]:
        """What is asked meanwhile is asked once more at the end: late, and the requests of all connections mixed up.

        TCP repeats and reorders packets too, but no program sees that: the kernel puts them right.
        """
        heard: list[bytearray] = []
        self._heard = heard
        self.loop.call_soon_threadsafe(self._reset_all)  # those that are open would be repeated from their middle
        try:
            yield
        finally:
            self._heard = None
            for asked in heard:
                self.loop.call_soon_threadsafe(self._keep, self._ask_again(bytes(asked)))

    @contextmanager
    def stalled(self) -> Iterator[None]:
        """Nothing passes, and nothing is closed."""
        self.loop.call_soon_threadsafe(self._passing.clear)
        try:
            yield
        finally:
            self.loop.call_soon_threadsafe(self._passing.set)

    @contextmanager
    def cut(self) -> Iterator[None]:
        """Connections are reset, and new ones are refused."""
        self._open = False
        self.loop.call_soon_threadsafe(self._reset_all)
        try:
            yield
        finally:
            self._open = True

    def _reset_all(self) -> None:
        for writer in list(self._connections):
            _reset(writer)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._passing.wait()
        try:
            if not self._open:
                raise ConnectionRefusedError
            there_reader, there_writer = await asyncio.open_connection(*self.target)
        except OSError:
            _reset(writer)
            return
        ends, asked = (writer, there_writer), None if self._heard is None else bytearray()
        if self._heard is not None and asked is not None:
            self._heard.append(asked)
        self._connections.update(ends)
        try:
            await asyncio.gather(self._carry(reader, there_writer, asked), self._carry(there_reader, writer, back=True))
        finally:
            self._connections.difference_update(ends)
            for end in ends:
                end.transport.abort()

    async def _ask_again(self, asked: bytes) -> None:
        """Asks whoever listens at the end; nobody reads the answers."""
        with contextlib.suppress(OSError, TimeoutError):
            reader, writer = await asyncio.open_connection(*self.target)
            try:
                async with asyncio.timeout(REPEATED_WITHIN_S):
                    writer.write(asked)
                    await writer.drain()
                    while await reader.read(CHUNK):
                        pass
            finally:
                writer.transport.abort()

    async def _carry(
        self,
        source: asyncio.StreamReader,
        sink: asyncio.StreamWriter,
        asked: bytearray | None = None,
        *,
        back: bool = False,
    ) -> None:
        """``back``: from what the link leads to. ``asked`` grows by what passes while everything is repeated."""
        _set_option(sink, socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(QUEUED)
        receiving = self._keep(self._receive(source, queue))
        try:
            while True:
                due, chunk = await queue.get()
                await asyncio.sleep(due - self.loop.time())
                await self._passing.wait()
                if back and not self.answers:
                    _reset(sink)
                    return
                if not chunk:
                    sink.write_eof()
                    return
                if asked is not None and self._heard is not None:
                    asked += chunk  # before it is on its way: whoever has received it may end the repetition at once
                sink.write(chunk)
                await sink.drain()
        except OSError:
            sink.transport.abort()
        finally:
            receiving.cancel()

    async def _receive(self, source: asyncio.StreamReader, queue: "asyncio.Queue[tuple[float, bytes]]") -> None:
        while True:
            try:
                chunk = await source.read(CHUNK)
            except OSError:
                chunk = b""
            await queue.put((self.loop.time() + self._delay_s(), chunk))
            if not chunk:
                return

    def _delay_s(self) -> float:
        lost = self.lossy and random.random() < LOSS_SHARE
        return self.delay_s + (random.uniform(*RETRANSMISSION_S) if lost else 0.0)

    def _keep(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with RST instead of FIN."""
    _set_option(writer, socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def _set_option(writer: asyncio.StreamWriter, level: int, name: int, value: int | bytes) -> None:
    with contextlib.suppress(OSError):
        writer.get_extra_info("socket").setsockopt(level, name, value)


CONDITIONS: Mapping[str, Callable[[Link, float], AbstractContextManager[None]]] = {
    "cut": lambda link, _: link.cut(),
    "stall": lambda link, _: link.stalled(),
    "delay": lambda link, seconds: link.delayed(seconds),
    "loss": lambda link, _: link.losing(),
    "unanswered": lambda link, _: link.unanswered(),
    "repeat": lambda link, _: link.repeated(),
}
"""What may happen to a link, by name. The seconds are those of the delay. Only what speaks HTTP can be repeated."""

Lay = Callable[[str, tuple[str, int]], Link]
"""Makes a link by its name and the address that it leads to."""


@contextmanager
def laid_links() -> Iterator[Lay]:
    """Links carried by one thread, which ends with the context."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="links", daemon=True)
    thread.start()

    links: list[Link] = []

    def lay(name: str, target: tuple[str, int]) -> Link:
        link = Link(name, target, loop)
        asyncio.run_coroutine_threadsafe(link.listen(), loop).result()
        links.append(link)
        return link

    try:
        yield lay
    finally:
        asyncio.run_coroutine_threadsafe(_end_all(links), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end_all(links: list[Link]) -> None:
    for link in links:
        await link.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
