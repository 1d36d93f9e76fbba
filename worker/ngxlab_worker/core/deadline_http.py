"""HTTP exchanges of the agent's own, each over a connection of its own, that end in time whatever the server does."""

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator

CHUNK_BYTES = 1 << 16


def left(deadline: float) -> float:
    """The seconds until ``deadline`` (CLOCK_MONOTONIC). Raises ``TimeoutError`` once it has passed."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def trusting() -> ssl.SSLContext:
    """Accepts any certificate, since that of a trial is self-signed. The system's are not read, which takes long."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


@contextlib.contextmanager
def connected(address: tuple[str, int], deadline: float, *, tls: bool) -> Iterator[http.client.HTTPConnection]:
    """A connection that is shut at ``deadline``. What was read by then may look whole: ask :func:`left` afterwards."""
    with contextlib.ExitStack() as leftovers:
        used = leftovers.enter_context(socket.create_connection(address, left(deadline)))
        leftovers.enter_context(ended_at(deadline, used))
        if tls:
            used = leftovers.enter_context(trusting().wrap_socket(used, server_hostname=None))
        connection = http.client.HTTPConnection(*address)
        connection.sock = used
        yield connection


@contextlib.contextmanager
def ended_at(deadline: float, used: socket.socket) -> Iterator[None]:
    """Shut the connection at ``deadline``, for TLS over it too: a socket's own timeout begins anew with each byte."""
    with used.dup() as handle:  # TLS takes the socket itself over

        def end() -> None:
            with contextlib.suppress(OSError):  # not connected any more
                handle.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(left(deadline), end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
