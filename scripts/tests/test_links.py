"""The proxy with which other tests slow down, stall and cut links."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from scripts.testbed import links
from scripts.testbed.links import Link, laid_links


@pytest.fixture
def link() -> Iterator[Link]:
    """It leads to a server that sends back what it gets."""
    with socket.create_server(("127.0.0.1", 0)) as server, laid_links() as lay:
        threading.Thread(target=_serve, args=(server,), daemon=True).start()
        yield lay("echo", server.getsockname())


def _serve(server: socket.socket) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        threading.Thread(target=_echo, args=(connection,), daemon=True).start()


def _echo(connection: socket.socket) -> None:
    with connection:
        try:
            while chunk := connection.recv(65_536):
                connection.sendall(chunk)
        except OSError:
            return


def _connected(link: Link) -> socket.socket:
    return socket.create_connection(("127.0.0.1", link.port), timeout=10)


def _answer(connection: socket.socket, text: bytes) -> bytes:
    connection.sendall(text)
    return _received(connection, len(text))


def _received(connection: socket.socket, length: int) -> bytes:
    found = b""
    while len(found) < length:
        found += connection.recv(65_536)
    return found


def test_it_carries_everything_in_order(link: Link) -> None:
    text = bytes(range(256)) * 4096
    with _connected(link) as connection:
        sender = threading.Thread(target=connection.sendall, args=(text,))
        sender.start()
        found = _received(connection, len(text))
        sender.join()
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
    assert found == text


def test_a_delay_applies_in_both_directions(link: Link) -> None:
    with _connected(link) as connection, link.delayed(0.1):
        began = time.monotonic()
        assert _answer(connection, b"slow") == b"slow"
        assert time.monotonic() - began >= 0.2


def test_a_delay_ends_with_its_context(link: Link) -> None:
    with _connected(link) as connection:
        with link.delayed(3600):
            pass
        assert _answer(connection, b"quick") == b"quick"


def test_what_a_link_loses_comes_late(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "LOSS_SHARE", 1.0)
    monkeypatch.setattr(links, "RETRANSMISSION_S", (0.2, 0.2))
    with _connected(link) as connection, link.losing():
        began = time.monotonic()
        assert _answer(connection, b"lost there and back") == b"lost there and back"
        assert time.monotonic() - began >= 0.4


def test_a_lossy_link_keeps_the_order_and_becomes_sound_again(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "LOSS_SHARE", 0.5)
    monkeypatch.setattr(links, "RETRANSMISSION_S", (0.0, 0.05))
    lines = [b"%05d\n" % number for number in range(200)]
    with _connected(link) as connection:
        with link.losing():
            assert b"".join(_answer(connection, line) for line in lines[:50]) == b"".join(lines[:50])
            for line in lines[50:]:
                connection.sendall(line)
            assert _received(connection, 150 * 6) == b"".join(lines[50:])
        monkeypatch.setattr(links, "LOSS_SHARE", 1.0)
        monkeypatch.setattr(links, "RETRANSMISSION_S", (3600, 3600))
        assert _answer(connection, b"sound") == b"sound"


def test_what_is_asked_arrives_though_no_answer_does() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, laid_links() as lay:
        link = lay("noted", server.getsockname())
        with link.unanswered(), _connected(link) as connection, server.accept()[0] as there:
            connection.sendall(b"asked")
            assert there.recv(5) == b"asked"
            there.sendall(b"done")
            with pytest.raises(ConnectionResetError):
                connection.recv(1)
        with _connected(link) as connection, server.accept()[0] as there:
            there.sendall(b"done")
            assert _received(connection, 4) == b"done"


def test_a_stalled_link_closes_nothing_and_loses_nothing(link: Link) -> None:
    with _connected(link) as connection:
        assert _answer(connection, b"a") == b"a"
        with link.stalled():
            connection.sendall(b"later")
            connection.settimeout(0.3)
            with pytest.raises(TimeoutError):
                connection.recv(1)
        connection.settimeout(10)
        assert connection.recv(5) == b"later"


def test_a_cut_link_resets_what_is_open_and_refuses_what_is_new(link: Link) -> None:
    with _connected(link) as connection:
        assert _answer(connection, b"a") == b"a"
        with link.cut():
            with pytest.raises(ConnectionResetError):
                connection.recv(1)
            with pytest.raises(ConnectionResetError), _connected(link) as another:  # as early as while it connects
                another.recv(1)
    with _connected(link) as connection:
        assert _answer(connection, b"b") == b"b"


def test_what_was_asked_meanwhile_is_asked_once_more_at_the_end() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, laid_links() as lay:
        link = lay("repeating", server.getsockname())
        with _connected(link) as before, server.accept()[0] as there:
            assert _over(before, there, b"not this") == b"not this"
            with link.repeated():
                with pytest.raises(ConnectionResetError):  # what was open begins anew, so as to be repeated whole
                    before.recv(1)
                with _connected(link) as connection, server.accept()[0] as first:
                    assert _over(connection, first, b"asked") == b"asked"
            with server.accept()[0] as again:
                assert _received(again, 5) == b"asked"
        with _connected(link) as connection, server.accept()[0] as there:
            assert _over(connection, there, b"once") == b"once"


def _over(sender: socket.socket, receiver: socket.socket, text: bytes) -> bytes:
    sender.sendall(text)
    return _received(receiver, len(text))
