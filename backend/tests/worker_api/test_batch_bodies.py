"""Batches that are refused: from strangers, too long, or wrong in every part."""

import socket
from uuid import uuid4

import pytest
from harness import API, Backend
from ngxlab.core.config import Settings
from serving import fronted

_PATH = f"{API}/agent/trials/{uuid4()}/batches"


def test_a_strangers_16_mib_are_refused_unread(migrated: Settings) -> None:
    with (
        fronted(migrated) as lab,
        socket.create_connection(("127.0.0.1", int(lab.url.rpartition(":")[2])), timeout=30) as connection,
    ):
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


def _list(name: str, item: str, times: int = 50_000) -> str:
    return f'"{name}":[' + ",".join([item] * times) + "]"


WRONG_LISTS = {
    "frames.0": _list("frames", '{"a":1}'),
    "frames.0.values.0": '"frames":[{"layout":1,"t_us":1,"took_us":1,' + _list("values", '"x"') + "}]",
    "layouts.0": _list("layouts", '{"a":1}'),
    "layouts.0.series.0": '"layouts":[{"id":1,"collector":"c",' + _list("series", '{"a":1}') + "}]",
    "intervals.0": _list("intervals", '{"a":1}'),
    "events.0": _list("events", '{"kind":"phase"}'),
    "events.0.endpoint.ports.0": '"events":[{"kind":"endpoint","t_us":1,"name":"x","address":"::1",'
    + _list("ports", '"x"') + "}]",
}  # fmt: skip
"""By the path of the first wrong item: beyond it, a list of wrong items is not read."""


@pytest.mark.parametrize(("item", "content"), WRONG_LISTS.items(), ids=WRONG_LISTS.keys())
def test_a_list_is_read_to_its_first_wrong_item(backend: Backend, item: str, content: str) -> None:
    body = '{"seq":1,"clock_offset_us":0,' + content + "}"
    answer = backend.agent().client.post(f"/agent/trials/{uuid4()}/batches", content=body)
    assert answer.status_code == 422
    assert {f"{problem['field']}.".startswith(f"{item}.") for problem in answer.json()["errors"]} == {True}
    assert len(answer.content) < 10_000


@pytest.mark.parametrize(
    "frames", ["[" + "[" * 1_000_001 + "]", '"' + "x" * 1_000_000 + '"'], ids=["parts", "text"]
)  # fmt: skip
def test_the_answer_to_a_wrong_batch_is_short(backend: Backend, frames: str) -> None:
    body = f'{{"seq":1,"clock_offset_us":0,"frames":{frames}}}'
    answer = backend.agent().client.post(f"/agent/trials/{uuid4()}/batches", content=body)
    assert answer.status_code == 422
    assert len(answer.content) < 65_536
