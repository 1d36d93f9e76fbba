"""HTTP and Redis' protocol with as little work as possible: who measures shares the cores with who is measured."""

import asyncio

_PATIENCE_S = 40.0


class Http:
    """Requests one after the other over one connection, which is opened again where it has ended."""

    def __init__(self, address: str, port: int, bearer: str) -> None:
        self._address, self._port, self._bearer = address, port, bearer
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._turn = asyncio.Lock()

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Status and body of the answer. Raises OSError, EOFError and TimeoutError."""
        request = (
            f"{method} /api/v1{path} HTTP/1.1\r\nHost: ngxlab\r\nAuthorization: Bearer {self._bearer}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode() + body
        async with self._turn, asyncio.timeout(_PATIENCE_S):
            try:
                return await self._exchange(request)
            except BaseException:
                self._close()
                raise

    async def _exchange(self, request: bytes) -> tuple[int, bytes]:
        if self._streams is None or self._streams[0].at_eof():
            self._close()
            self._streams = await asyncio.open_connection(self._address, self._port)
        reader, writer = self._streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        at = head.find(b"content-length: ")
        length = int(head[at + 16 : head.index(b"\r\n", at)]) if at >= 0 else 0
        return int(head.split(b" ", 2)[1]), await reader.readexactly(length)

    def _close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


class Queue:
    """A list in Redis from which messages are taken as Celery does: waiting for five seconds at a time."""

    def __init__(self, address: str, port: int, user: str, password: str, name: str) -> None:
        self._address, self._port = address, port
        self._login, self._take = _order("AUTH", user, password), _order("BRPOP", name, "5")
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def take(self) -> bytes | None:
        """The next message; ``None`` where none came. Raises OSError and EOFError."""
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection(self._address, self._port)
                self._streams[1].write(self._login)
                if not (answer := await self._streams[0].readline()).startswith(b"+OK"):
                    raise ConnectionRefusedError(answer.decode())
            reader, writer = self._streams
            writer.write(self._take)
            parts = int((await reader.readline())[1:])
            values = [await self._value(reader) for _ in range(max(0, parts))]
            return values[1] if values else None
        except (OSError, EOFError, ValueError) as error:
            if self._streams is not None:
                self._streams[1].close()
                self._streams = None
            raise ConnectionError(str(error)) from error

    @staticmethod
    async def _value(reader: asyncio.StreamReader) -> bytes:
        length = int((await reader.readline())[1:])
        return (await reader.readexactly(length + 2))[:-2]


def _order(*words: str) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w.encode()), w.encode()) for w in words)
