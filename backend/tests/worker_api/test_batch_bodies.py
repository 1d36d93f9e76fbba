"""Batches that are refused: from strangers, too long, or wrong in every part."""

import socket
from uuid import uuid4

import pytest
from harness import API, Backend

_PATH = f"{API}/agent/trials/{uuid4()}/batches"


def test_a_strangers_16_mib_are_refused_unread(backend: Backend) -> None:
    with socket.create_connection(("127.0.0.1", backend.settings.port), timeout=30) as connection:
        head = f"POST {_PATH} HTTP/1.1\r\nHost: lab\r\nContent-Type: application/json\r\nContent-Length: {16 << 20}\r\n"
        connection.sendall(f"{head}\r\n".encode())
        answer = connection.recv(4096)
        sent = _send_until_refused(connection)
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert sent < 12 << 20  # what the kernel's buffers hold


def _send_until_refused(connection: socket.socket) -> int:
    sent = 0
    try:
        while sent < 16 << 20:
            sent += connection.send(b"[" * 65_536)
    except ConnectionError:
        pass
    return sent


def test_a_known_hosts_batch_has_a_limit(backend: Backend) -> None:
    agent = backend.agent()

    pieces = (b" " * 65_536 for _ in range(1025))
    answer = agent.client.post(f"/agent/trials/{uuid4()}/batches", content=pieces)
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        '{"seq":1,"clock_offset_us":0,"frames":[' + ",".join(['{"a":1}'] * 50_000) + "]}",
        '{"seq":1,"clock_offset_us":0,"frames":[{"layout":1,"t_us":1,"took_us":1,"values":['
        + ",".join(['"x"'] * 50_000) + "]}]}",
        '{"seq":1,"clock_offset_us":0,"events":[' + ",".join(['{"kind":"phase"}'] * 50_000) + "]}",
        '{"seq":1,"clock_offset_us":0,"frames":[' + "[" * 1_000_001 + "]}",
        '{"seq":1,"clock_offset_us":0,"frames":"' + "x" * 1_000_000 + '"}',
    ],
    ids=["frames", "values", "events", "parts", "text"],
)  # fmt: skip
def test_the_answer_to_a_wrong_batch_is_short(backend: Backend, body: str) -> None:
    answer = backend.agent().client.post(f"/agent/trials/{uuid4()}/batches", content=body)
    assert answer.status_code == 422
    assert len(answer.content) < 65_536
