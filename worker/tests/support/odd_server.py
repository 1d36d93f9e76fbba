"""A server that misbehaves in one chosen way, on a free port of loopback."""

import asyncio
import socket
import struct
import threading
from collections.abc import Awaitable, Callable
from types import TracebackType

Manner = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""What it does with a connection; it is closed after that."""

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
"""To a HEAD: without the body whose length it gives."""


async def request(reader: asyncio.StreamReader) -> bytes:
    """The next request's head, or ``asyncio.IncompleteReadError`` at the end."""
    return await reader.readuntil(b"\r\n\r\n")


async def keeps(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The only behaviour that is correct."""
    while await request(reader):
        writer.write(ANSWER)


def reset(writer: asyncio.StreamWriter) -> None:
    """Close with a reset instead of an orderly end."""
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class OddServer:
    """``with OddServer(manner) as port:``"""

    def __init__(self, manner: Manner) -> None:
        self._manner = manner
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._over = asyncio.Event()
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._port = 0
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> int:
        self._thread.start()
        assert self._ready.wait(60)
        return self._port

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._live())
        self._loop.close()

    async def _live(self) -> None:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._over.wait()
        await self._close_all(server)

    async def _close_all(self, server: asyncio.Server) -> None:
        """A socket that is left to the garbage collector fails whichever test it then runs in. So the server closes at
        last: asyncio drops a connection that it has accepted, but not yet given to its server, and leaves it open."""
        while asyncio.all_tasks() - {asyncio.current_task()}:
            for task in self._connections:
                task.cancel()
            await asyncio.sleep(0)
        server.close()
        for writer in self._connections.values():
            writer.transport.abort()
        for _ in range(3):  # a transport closes its socket in the loop's next rounds
            await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = writer
        try:
            await self._manner(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has closed
        finally:
            writer.transport.abort() if writer.transport.is_closing() else writer.close()
