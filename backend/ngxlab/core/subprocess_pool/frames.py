"""How the two sides of a pipe speak: a length of four bytes, then so much text."""

import struct

HEAD = struct.Struct("!I")
READY = "ready"
"""What a process says first."""
DONE, REFUSED, NO_MEMORY = "done", "refused", "no memory"
"""The first line of an answer. The rest is the result, or an error as JSON, or nothing."""


def packed(text: str) -> bytes:
    body = text.encode()
    return HEAD.pack(len(body)) + body
