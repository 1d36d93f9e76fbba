"""Others are served while a batch of the largest size is taken, and while one far beyond it is refused."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

import pytest
from harness import API, T0_US, Agent, Backend, frame
from ngxlab_contracts.base import read
from ngxlab_contracts.telemetry import MAX_FRAMES, Layout, SeriesDef

LARGEST_BYTES = 16 << 20
COLUMNS = 485
"""So many values of 16 digits fill a batch of 2,000 frames, by bytes as well as by values."""


@dataclass
class Sender:
    """Sends a batch but for its last byte, so that nobody can answer it yet."""

    connection: HTTPConnection
    last: bytes

    def finish(self) -> tuple[int, Any]:
        """Send what is missing: status and answer."""
        self.connection.send(self.last)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())


@contextmanager
def almost_sent(backend: Backend, agent: Agent, trial_id: str, body: bytes) -> Iterator[Sender]:
    connection = HTTPConnection("127.0.0.1", backend.settings.port, timeout=120)
    try:
        connection.putrequest("POST", f"{API}/agent/trials/{trial_id}/batches")
        connection.putheader("Authorization", agent.client.headers["Authorization"])
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        connection.send(body[:-1])
        yield Sender(connection, body[-1:])
    finally:
        connection.close()


def batch(frames: int, frame_text: str) -> bytes:
    return ('{"seq": 7, "clock_offset_us": 0, "frames": [' + ",".join([frame_text] * frames) + "]}").encode()


def largest() -> bytes:
    values = ",".join(["1234567890.12345"] * COLUMNS)
    text = batch(MAX_FRAMES, f'{{"layout":1,"t_us":{T0_US},"took_us":1,"values":[{values}]}}')
    assert LARGEST_BYTES * 0.98 < len(text) <= LARGEST_BYTES
    return text.ljust(LARGEST_BYTES)


@pytest.fixture
def sending(backend: Backend) -> tuple[Agent, str]:
    """A host that has declared what the largest batch consists of, and its trial."""
    agent, _, trial_id = backend.measuring()
    series = [SeriesDef(name=f"series_{number}", unit="1", kind="gauge") for number in range(COLUMNS)]
    agent.send(trial_id, 6, layouts=[Layout(id=1, collector="wide", series=series)]).raise_for_status()
    return agent, trial_id


@pytest.fixture
def other(backend: Backend) -> tuple[Agent, str]:
    agent, _, trial_id = backend.measuring()
    return agent, trial_id


def test_others_are_answered_before_a_batch_of_the_largest_size(
    backend: Backend, sending: tuple[Agent, str], other: tuple[Agent, str]
) -> None:
    order: list[str] = []
    anyone = backend.client()

    def finish() -> tuple[int, Any]:
        found = sender.finish()
        order.append("the large batch")
        return found

    with almost_sent(backend, *sending, largest()) as sender, ThreadPoolExecutor() as threads:
        large = threads.submit(finish)
        assert anyone.get(f"{backend.url}/healthz").status_code == 200
        order.append("health")
        assert other[0].send(other[1], 6, frames=[frame(4)]).json()["acked_seq"] == 6
        order.append("another batch")
        status, answer = large.result()
    assert order == ["health", "another batch", "the large batch"]
    assert (status, answer["acked_seq"]) == (200, 7)


def test_a_batch_of_100_000_frames_is_refused_unread_and_others_are_served_meanwhile(
    backend: Backend, sending: tuple[Agent, str], other: tuple[Agent, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths: list[int] = []

    def noted(kind: Any, text: bytes) -> Any:
        lengths.append(len(text))
        return read(kind, text)

    monkeypatch.setattr("ngxlab.worker_api.trials_router.read", noted)
    body = batch(100_000, f'{{"layout":0,"t_us":{T0_US},"took_us":1,"values":[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0]}}')
    with almost_sent(backend, *sending, body) as sender:
        assert backend.client().get(f"{backend.url}/healthz").status_code == 200
        assert other[0].send(other[1], 6, frames=[frame(4)]).json()["acked_seq"] == 6
        status, answer = sender.finish()
    assert (status, answer["code"]) == (422, "too-many-parts")
    assert len(lengths) == 1
    assert lengths[0] < 10_000
