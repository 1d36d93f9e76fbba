"""A run that is over, with everything in it that an export has to carry."""

from typing import Any

from harness import T0_US, Agent, Backend, Coordinator, Person
from hdrh.histogram import HdrHistogram
from ngxlab_contracts.telemetry import Artefact, LatencyInterval, NoteEvent
from services import wait_until

FOLDER = "/var/lib/ngxlab/agent/trials"
ADDRESS = "10.20.30.40"
LOG = 'open() "{folder}/nginx/files/x" failed, client: 127.0.0.1, upstream: "http://10.20.30.40:8081/"\n'
REVISION = {"commit": "0123456789abcdef", "branch": f"to-{ADDRESS}", "pull_request": 12}
LATENCIES_US = (1_000, 2_000, 40_000)


def histogram() -> str:
    made = HdrHistogram(1, 60_000_000, 3)
    for value in LATENCIES_US:
        made.record_value(value)
    text: bytes = made.encode()
    return text.decode()


class Finished:
    """It has two blocks. One trial has a note and a log that name an address and a folder of its host."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.person, self.agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
        self.agent.beat()
        asked = {"host_id": str(self.agent.host_id), "seed": 1, "revision": REVISION}
        path = f"/experiments/{self.person.experiment(blocks=2)['id']}/runs"
        self.id: str = self.person.client.post(path, json=asked).raise_for_status().json()["id"]
        self.telling = ""
        wait_until(lambda: self._is_over_after_a_step(coordinator), "the end of the run", seconds=300)

    def _is_over_after_a_step(self, coordinator: Coordinator) -> bool:
        """The next trial, if it is time for one. On a busy machine a host may be taken for silent between two."""
        self.agent.beat()
        coordinator.lease(self.id).raise_for_status()
        step = coordinator.next(self.id)
        if step["kind"] == "trial":
            _whole_trial(self.agent, coordinator, step["trial"]["trial_id"], tells=not self.telling)
            self.telling = self.telling or step["trial"]["trial_id"]
        return bool(self.get().json()["state"] == "completed")

    def get(self, path: str = "", person: Person | None = None) -> Any:
        return (person or self.person).client.get(f"/runs/{self.id}{path}")

    def export(self, name: str) -> bytes:
        content: bytes = self.get(f"/exports/{name}").raise_for_status().content
        return content

    def note(self, text: str, person: Person | None = None, **place: Any) -> str:
        """Its id. ``place``: a trial, and a moment of it."""
        client = (person or self.person).client
        made = client.post(f"/runs/{self.id}/notes", json={"text": text, **place}).raise_for_status().json()
        return str(made["id"])

    def share(self, **body: Any) -> str:
        """Its token."""
        made = self.person.client.post(f"/runs/{self.id}/shares", json=body).raise_for_status().json()
        return str(made["url"].rpartition("/")[2])


def _whole_trial(agent: Agent, coordinator: Coordinator, trial_id: str, *, tells: bool) -> None:
    agent.beat()
    stream = agent.claim(trial_id).raise_for_status().json()["streams"][0]["key"]
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id)
    intervals = [
        LatencyInterval(
            stream=stream, t0_us=T0_US + second * 1_000_000, t1_us=T0_US + (second + 1) * 1_000_000,
            count=len(LATENCIES_US), histogram=histogram(), quantity="latency",
        )
        for second in range(1, 3)
    ]  # fmt: skip
    told = LOG.format(folder=f"{FOLDER}/{trial_id}") if tells else ""
    events = [Artefact(t_us=T0_US, name="error.log", text=told or "nothing\n")]
    notes = [NoteEvent(t_us=T0_US, severity="warning", code="test", message=told)] if tells else []
    agent.send(trial_id, 6, intervals=intervals, events=[*events, *notes]).raise_for_status()
    agent.end(trial_id, 7)
