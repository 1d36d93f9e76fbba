"""A request to an endpoint of the trial. Redirects are not followed."""

import contextlib
import http.client
import socket
import time

from ngxlab_contracts.perturbations import HttpCall
from ngxlab_contracts.trials import Endpoint

from ngxlab_worker.core.deadline_http import CHUNK_BYTES, ended_at, left, trusting
from ngxlab_worker.perturbations.action import ActionError, Cue, Done

MOST_BYTES = 16 << 20
FIRST_FAILURE = 400
"""HTTP statuses from here on are failures (RFC 9110, 15)."""


class HttpAction:
    """Calls the endpoint's first port, over a new connection each time. ``tls``: any certificate is accepted, since
    that of a trial is self-signed."""

    def __init__(self, spec: HttpCall, endpoint: Endpoint, *, tls: bool) -> None:
        self._spec = spec
        self._address = (endpoint.address, endpoint.ports[0])
        self._context = trusting() if tls else None
        self._socket: socket.socket | None = None

    def __call__(self, cue: Cue) -> Done:
        deadline = time.monotonic() + self._spec.timeout_s
        with cue.interrupted_by(self._wake):
            try:
                return self._exchange(deadline)
            except (http.client.HTTPException, OSError) as error:
                if cue.stopped:
                    raise ActionError("aborted: the load has ended") from error
                if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
                    raise ActionError(f"no complete answer within {self._spec.timeout_s:g} s") from error
                raise ActionError(str(error) or type(error).__name__) from error
            finally:
                if self._socket is not None:
                    self._socket.close()

    def _exchange(self, deadline: float) -> Done:
        with contextlib.ExitStack() as leftovers:
            return self._called(self._connected(deadline, leftovers), deadline)

    def _called(self, used: socket.socket, deadline: float) -> Done:
        connection = http.client.HTTPConnection(*self._address)
        connection.sock = used
        headers = {"Connection": "close", "User-Agent": "ngxlab"}
        body = self._spec.body.encode() if self._spec.body is not None else None
        connection.request(self._spec.method, self._spec.path, body=body, headers=headers)
        with connection.getresponse() as answer:
            size = 0
            while size < MOST_BYTES and (chunk := answer.read1(CHUNK_BYTES)):
                size += len(chunk)
            left(deadline)  # a connection that was shut in time looks like the end of the answer
            return Done(ok=answer.status < FIRST_FAILURE, status=answer.status, detail=f"{answer.reason}, {size} bytes")

    def _connected(self, deadline: float, leftovers: contextlib.ExitStack) -> socket.socket:
        family = socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET
        self._socket = used = socket.socket(family, socket.SOCK_STREAM)
        used.settimeout(left(deadline))
        used.connect(self._address)
        leftovers.enter_context(ended_at(deadline, used))
        if self._context is not None:
            self._socket = used = self._context.wrap_socket(used)
        return used

    def _wake(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # not connected, or already closed
                self._socket.shutdown(socket.SHUT_RDWR)
