"""HTTP connections with limits that uvicorn has no settings for.

A request must arrive within a time; its head, and what is wrapped around its body's chunks, within a size. What is left
of a body that was answered without being read is not waited for, nor is a reader that takes nothing of an answer. Many
requests at once are begun in turns.
"""

import socket
from asyncio import TimerHandle, Transport
from http import HTTPStatus
from weakref import WeakKeyDictionary

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.flow_control import service_unavailable
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from ngxlab.core.answers import busy, problem_on_the_wire
from ngxlab.core.connections.turns import Turns

HEAD_SECONDS = 10.0
BODY_SECONDS = 120.0
"""64 MiB in this time is 4.5 Mbit/s."""
UNREAD_SECONDS = 300.0
"""Until the kernel gives up a connection whose other end takes nothing of what was sent. A live stream says something
more often than that, so that it ends, too."""
MAX_HEAD_BYTES = 64 << 10
_WRAPPING_PER_BYTE = 8
"""A chunk of one byte has five more around it: ``1 CR LF x CR LF``."""


_HEALTH = frozenset({"/healthz", "/readyz"})
"""Answered beside all addresses: who asks may come from that of a proxy, as an attack may."""

_turns_of: WeakKeyDictionary[ServerState, Turns] = WeakKeyDictionary()


class BoundedHttpProtocol(HttpToolsProtocol):
    """Closes a connection whose request comes too slowly, has too long a head, or goes on after its refusal."""

    _timer: TimerHandle | None = None
    _raw_bytes = 0
    """Received of the present request; of one that is answered already, since the answer."""
    _body_bytes = 0
    _head_arrived = False
    """That of the present request did."""
    _arrived = False
    """The whole of the present request did."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        _give_up_unread(transport)
        self._turns.arrived()
        self._close_after(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._raw_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if not self._arrived and self._raw_bytes > MAX_HEAD_BYTES + _WRAPPING_PER_BYTE * self._body_bytes:
            self._refuse_long_head()
        elif self._arrived and self._timer is None and self._is_answered():
            self._close_after(HEAD_SECONDS)  # line ends between two requests have ended the keep-alive time

    def send_400_response(self, msg: str) -> None:
        """What the parser does not understand."""
        self.transport.write(problem_on_the_wire(HTTPStatus.BAD_REQUEST, "This is no HTTP request."))
        self.transport.close()

    def _refuse_long_head(self) -> None:
        if not self._head_arrived:
            detail = f"The head of the request has more than {MAX_HEAD_BYTES // 1024} KiB."
            self.transport.write(problem_on_the_wire(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, detail))
        self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._raw_bytes = self._body_bytes = 0
        self._head_arrived = self._arrived = False
        self._close_after(HEAD_SECONDS)

    def on_headers_complete(self) -> None:
        self._head_arrived = True
        self._close_after(BODY_SECONDS)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self._is_answered():
            self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._arrived = True
        self._stop_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._arrived:
            self._raw_bytes = self._body_bytes = 0
            self._close_after(HEAD_SECONDS)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        if app is service_unavailable:
            app = busy  # type: ignore[assignment]  # uvicorn's types of ASGI are closer than Starlette's
        begin = super()._start_asgi_task
        path = cycle.scope["path"]
        lane = path if path in _HEALTH else self.client[0] if self.client else ""

        def begin_if_wanted() -> None:
            if not cycle.disconnected:
                begin(cycle, app)

        self._turns.wait(lane, begin_if_wanted)

    @property
    def _turns(self) -> Turns:
        """Those of the server, which all its connections share."""
        if (turns := _turns_of.get(self.server_state)) is None:
            turns = _turns_of[self.server_state] = Turns(self.loop.call_soon)
        return turns

    def _is_answered(self) -> bool:
        return self.cycle is not None and self.cycle.response_complete

    def _close_after(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self._close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self.transport.close()


def _give_up_unread(transport: Transport) -> None:
    """Also where the other end is there and says that it has no room, for which TCP would wait without end."""
    end = transport.get_extra_info("socket")
    if end is not None and end.family in {socket.AF_INET, socket.AF_INET6}:
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(UNREAD_SECONDS * 1000))
