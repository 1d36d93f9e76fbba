"""Responses as a strict reader of HTTP/1.1 sees them, however they are cut into pieces."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.native import ask, compile_part

LENGTH = b"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\nhello\r\nA;name=value\r\n0123456789\r\n0\r\nTrailer: yes\r\n\r\n"
)
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
LONG_HEADER = b"HTTP/1.1 200 OK\r\nSet-Cookie: " + b"x" * 5000 + b"\r\nContent-Length: 2\r\n\r\nok"

DONE = {
    "length": (LENGTH, 200, 1),
    "chunked": (CHUNKED, 200, 1),
    "interim": (INTERIM + LENGTH, 200, 1),
    "no content": (b"HTTP/1.1 204 No Content\r\n\r\n", 204, 1),
    "not modified": (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, 1),
    "empty": (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", 502, 1),
    "bare line ends": (b"HTTP/1.1 200 OK\ncontent-length:3\n\nabc", 200, 1),
    "no reason": (b"HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", 404, 1),
    "closing": (b"HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\nx", 200, 0),
    "old": (b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, 0),
    "old, kept": (b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", 200, 1),
    "length twice": (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 200, 1),
    "chunked wins": (
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        200,
        1,
    ),
    "long header": (LONG_HEADER, 200, 1),
    "folded": (b"HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 0\r\n\r\n", 200, 1),
}

GARBAGE = {
    "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "TLS": b"\x15\x03\x03\x00\x02\x02\x28",
    "version": b"HTTP/2 200 OK\r\n\r\n",
    "status": b"HTTP/1.1 2x0 OK\r\n\r\n",
    "long status": b"HTTP/1.1 2000 OK\r\n\r\n",
    "no colon": b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n",
    "length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "huge length": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
    "unknown coding": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
    "chunk size": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    "chunk end": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    "switching": b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "endless head": b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 50_000,
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_part("response", ["response.c"], tmp_path_factory.mktemp("native"))


@pytest.mark.parametrize("piece", [1, 2, 7, 100_000])
@pytest.mark.parametrize("name", DONE)
def test_complete_responses(reader: Path, name: str, piece: int) -> None:
    text, status, keep_alive = DONE[name]
    assert ask(reader, str(piece), given=text).split() == ["done", str(status), str(keep_alive), str(len(text))]


@pytest.mark.parametrize("piece", [1, 100_000])
@pytest.mark.parametrize("name", GARBAGE)
def test_garbage(reader: Path, name: str, piece: int) -> None:
    assert ask(reader, str(piece), given=GARBAGE[name]).startswith("garbage ")


def test_garbage_is_seen_before_its_first_line_ends(reader: Path) -> None:
    assert ask(reader, "100", given=b"HTTQ").startswith("garbage ")


def test_an_answer_to_head_has_no_body(reader: Path) -> None:
    head = LENGTH.removesuffix(b"hello")
    assert ask(reader, "9", "head", given=head).split() == ["done", "200", "1", str(len(head))]


def test_without_a_length_the_end_is_the_close(reader: Path) -> None:
    found = ask(reader, "9", given=b"HTTP/1.1 200 OK\r\n\r\nhello").splitlines()
    assert found[0].startswith("more 200 0 ")
    assert found[1] == "closed: done"


@pytest.mark.parametrize("text", [LENGTH, CHUNKED])
def test_a_close_in_the_middle_is_too_early(reader: Path, text: bytes) -> None:
    for size in range(0, len(text), 5):
        assert ask(reader, "1000", given=text[:size]).splitlines()[1] == "closed: more"


def test_what_follows_a_response_is_left_alone(reader: Path) -> None:
    assert ask(reader, "1000", given=LENGTH + b"more").split()[3] == str(len(LENGTH))


@given(st.binary(max_size=300), st.integers(1, 50))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_judged_alike_however_they_are_cut(reader: Path, noise: bytes, piece: int) -> None:
    text = b"HTTP/1.1 200 OK\r\n" + noise
    assert ask(reader, str(piece), given=text).split()[0] == ask(reader, "100000", given=text).split()[0]
