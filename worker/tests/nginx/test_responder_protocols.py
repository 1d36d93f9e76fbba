"""What the responder makes of requests that come in pieces, and of what is no request, under a sanitizer."""

import random
import struct
from pathlib import Path

import pytest
from tests.support.native import ask, compile_part


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_part("respond", ["respond_protocol.c"], tmp_path_factory.mktemp("respond"))


def record(kind: int, content: bytes, padding: int = 0) -> bytes:
    return struct.pack(">BBHHBB", 1, kind, 1, len(content), padding, 0) + content + bytes(padding)


def variables(*pairs: tuple[str, str]) -> bytes:
    return b"".join(struct.pack("<H", len(text)) + text.encode() for pair in pairs for text in pair)


UWSGI = variables(("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", "5"))
SCGI = b"CONTENT_LENGTH\x005\x00SCGI\x001\x00"
FASTCGI = record(1, struct.pack(">HB5x", 1, 1)) + record(4, b"p" * 300, 4) + record(4, b"")
REQUESTS = {
    "fastcgi": FASTCGI + record(5, b"body" * 20, 6) + record(5, b""),
    "uwsgi": struct.pack("<BHB", 0, len(UWSGI), 0) + UWSGI + b"12345",
    "scgi": f"{len(SCGI)}:".encode() + SCGI + b",12345",
    "memcached": b"get /some/key\r\n",
}
SAID = {
    "fastcgi": "WHOLE 1 ",
    "uwsgi": "WHOLE 0 ",
    "scgi": "WHOLE 0 ",
    "memcached": "WHOLE 1 VALUE /some/key 0 7\r\n",
}


@pytest.mark.parametrize("protocol", REQUESTS)
@pytest.mark.parametrize("chunk", [1, 2, 7, 9, 1000])
def test_a_request_is_whole_at_its_last_byte(program: Path, protocol: str, chunk: int) -> None:
    request = REQUESTS[protocol]
    assert ask(program, protocol, str(chunk), given=request) == SAID[protocol]
    assert ask(program, protocol, str(chunk), given=request[:-1]).startswith("MORE")


@pytest.mark.parametrize("protocol", REQUESTS)
def test_a_byte_too_many_is_wrong(program: Path, protocol: str) -> None:
    assert ask(program, protocol, "4096", given=REQUESTS[protocol] + b"x").startswith("WRONG")


@pytest.mark.parametrize("protocol", REQUESTS)
def test_nothing_that_comes_does_harm(program: Path, protocol: str) -> None:
    """Damaged requests, at any place: the sanitizer would end it."""
    draw = random.Random(7)
    for _ in range(60):
        damaged = bytearray(REQUESTS[protocol])
        for _ in range(draw.randrange(1, 4)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(128 if protocol == "memcached" else 256)
        assert ask(program, protocol, str(draw.randrange(1, 40)), given=bytes(damaged)).split()[0] in {
            "MORE",
            "WHOLE",
            "WRONG",
        }
