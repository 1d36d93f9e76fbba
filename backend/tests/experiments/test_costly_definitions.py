"""A definition that takes too long to judge is cut off at every door, and holds up nobody else."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from definition.definitions import sound
from harness import Backend, Person


@pytest.fixture
def people(backend: Backend) -> list[Person]:
    return [backend.person() for _ in range(6)]


def hostile() -> dict[str, Any]:
    """Every directive is compared with all that exist, and there are 32,000 of them, in each arm."""
    raw = sound()
    for number, fragment in enumerate(("main", "events", "http", "server")):
        raw["nginx"][fragment] = "".join(f"z{number}{word:x};" for word in range(0x1000, 0x1000 + 8000))
    return raw


def doors(backend: Backend, people: list[Person]) -> Iterator[tuple[Person, str, str, dict[str, Any]]]:
    """Where a definition comes in: who sends it, how, and what."""
    experiment = people[1].experiment()
    host = backend.agent()
    definition = hostile()
    yield people[0], "POST", "/experiments", {"name": "Costly", "definition": definition}
    address = f"/experiments/{experiment['id']}/definition"
    yield people[1], "PUT", address, {"base_version": 1, "definition": definition}
    yield people[2], "POST", "/experiments/config-tests", {"host_id": str(host.host_id), "definition": definition}
    yield people[3], "POST", "/experiments/preview", {"definition": definition}


def test_it_is_cut_off_and_others_are_served_meanwhile(backend: Backend, people: list[Person]) -> None:
    *_, other, newcomer = people

    def send(person: Person, method: str, address: str, body: dict[str, Any]) -> httpx2.Response:
        return person.client.request(method, address, json=body, timeout=60)

    with ThreadPoolExecutor() as threads:
        sent = [threads.submit(send, *door) for door in doors(backend, people)]
        answered = 0
        while not all(one.done() for one in sent):
            assert other.client.get("/auth/me").status_code == 200
            newcomer.sign_in()  # passwords are checked elsewhere
            answered += 1
        refusals = [one.result() for one in sent]
    assert answered > 1
    for refusal in refusals:
        assert (refusal.status_code, refusal.json()["code"]) == (422, "too-costly")
        assert "takes longer than 5 s" in refusal.json()["detail"]
    assert other.experiment()["version"] == 1
