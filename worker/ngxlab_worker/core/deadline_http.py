"""Parts of an HTTP exchange of the agent's own that ends in time, whatever the server does."""

import ssl
import time

CHUNK_BYTES = 1 << 16


def left(deadline: float) -> float:
    """The seconds until ``deadline`` (CLOCK_MONOTONIC). Raises ``TimeoutError`` once it has passed."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def trusting() -> ssl.SSLContext:
    """Accepts any certificate, since that of a trial is self-signed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
