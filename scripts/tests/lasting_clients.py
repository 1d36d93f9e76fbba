"""Clients that go on when a backend goes: a browser that watches a run, an agent that repeats what was not answered."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
from harness import Agent
from services import wait_until


class Viewer(threading.Thread):
    """Watches a run as a browser does: comes back with the position of the last event that it has received."""

    def __init__(self, client: httpx2.Client, run_id: str) -> None:
        super().__init__(daemon=True)
        self._client, self._path = client, f"/runs/{run_id}/live"
        self._position: str | None = None
        self.points: list[tuple[str, float]] = []
        """Trial and time of each point of one line."""
        self.served_by: list[str] = []
        """As an nginx between says it, for each of its streams."""
        self.ports: list[int] = []
        """Its own, of each of its streams."""
        self.run_state = ""

    def run(self) -> None:
        while self.run_state != "completed":
            try:
                self._watch()
            except httpx2.TransportError:
                time.sleep(0.2)  # as a browser does, which waits for longer

    def _watch(self) -> None:
        headers = {} if self._position is None else {"Last-Event-ID": self._position}
        with self._client.stream("GET", self._path, headers=headers) as answer:
            if answer.status_code != 200:
                return
            self.served_by.append(answer.headers.get("x-served-by", "").rpartition(", ")[2])
            self.ports.append(answer.extensions["network_stream"].get_extra_info("client_addr")[1])
            fields: dict[str, str] = {}
            for line in answer.iter_lines():
                name, _, fields[name] = line.partition(": ")
                if not line and "data" in fields:  # the event is whole
                    self._position = fields.get("id", self._position)
                    self._take(json.loads(fields["data"]))
                    fields = {}
                    if self.run_state == "completed":
                        return

    def _take(self, data: dict[str, Any]) -> None:
        self.run_state = data.get("state", self.run_state)
        for point in data.get("points", ()):
            if (point["key"], point["label"]) == ("nginx_connections", "waiting"):
                self.points.append((data["trial_id"], point["t_s"]))


class Insistent:
    """A host's agent that repeats what was not answered, as the real one does, and beats all the time."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        send = agent.client.send
        agent.client.send = lambda *a, **k: insist(lambda: send(*a, **k))  # type: ignore[method-assign]

    @contextmanager
    def beating(self) -> Iterator[None]:
        over = threading.Event()

        def beat() -> None:
            while not over.wait(1):
                self.agent.beat()

        thread = threading.Thread(target=beat)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def insist(action: Callable[[], httpx2.Response]) -> httpx2.Response:
    deadline = time.monotonic() + 60
    while True:
        try:
            answer = action()
            if answer.status_code < 500:
                return answer
        except httpx2.TransportError:
            pass
        assert time.monotonic() < deadline, "no answer for a minute"
        time.sleep(0.1)


def dispatched(client: httpx2.Client, run_id: str, position: int) -> str:
    """The id of the trial at that position, once it waits for its host."""
    found: list[str] = []

    def there() -> bool:
        trials = insist(lambda: client.get(f"/runs/{run_id}")).json()["trials"]
        found[:] = [t["id"] for t in trials if t["position"] == position and t["state"] == "dispatched"]
        return bool(found)

    wait_until(there, f"trial {position} being dispatched")
    return found[0]


def wait_for_start(agent: Agent, trial_id: str) -> None:
    wait_until(
        lambda: agent.client.get(f"/agent/trials/{trial_id}/control", params={"wait_s": 5}).json()["start_at_us"],
        "the instant of the start",
    )
