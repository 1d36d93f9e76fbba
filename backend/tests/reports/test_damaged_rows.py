"""Every JSON column of the database, damaged in several ways: who reads it says what cannot be read, and goes on."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from harness import Backend
from ngxlab.core.database import Base
from ngxlab.core.stored_json import JsonArray, JsonObject
from services import wait_until
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from web.operations import CALLERS, HOST

DAMAGES: tuple[Any, ...] = ({}, [1])
"""What stands in a column instead of what its model writes."""
WRONG_VALUES = {
    "run.analysis": {"headline": 7, "outcome": [], "trustworthy": "x", "answers": 3},
    "trial.summary": {"requests_per_s": "many", "latency": [1]},
    "host.inventory": {"cpu": None},
    "host.sightings": [{"since": "2026-01-01T00:00:00", "heard_at": "2026-01-01T00:00:00"}],
}
"""Damage of single columns: right fields with wrong values."""
COLUMNS = sorted(
    f"{table.name}.{column.name}"
    for table in Base.metadata.tables.values()
    for column in table.columns
    if isinstance(column.type, JsonArray | JsonObject)
)
_CASES = [(column, damage) for column in COLUMNS for damage in DAMAGES]
_CASES += list(WRONG_VALUES.items())
READS = sorted(name for name in CALLERS if name.startswith("GET ") and name != "GET /runs/{run_id}/live")
_LISTS = ("GET /runs", "GET /hosts", "GET /experiments", "GET /runs/by-experiment")


class Lab:
    """One run with a finished trial and one under way, as everybody reads it."""

    def __init__(self, backend: Backend) -> None:
        self.backend, self.person, self.agent = backend, backend.person(), backend.agent()
        self.coordinator = backend.coordinator()
        self.run = self.person.run(self.agent, blocks=1)
        first = self.coordinator.begin(self.run["id"])
        self.agent.whole_trial(self.coordinator, first)
        wait_until(lambda: self._summarised(first), "the summary")
        self.agent.beat()
        self.second = self.coordinator.next(self.run["id"])["trial"]["trial_id"]
        self.agent.prepare(self.second)
        share = self.person.client.post(f"/runs/{self.run['id']}/shares", json={}).raise_for_status().json()
        compared = {"runs": [self.run["id"], self.person.run(self.agent, blocks=1)["id"]]}
        self.person.client.post("/compare/shares", json=compared).raise_for_status()
        self.ids = {
            "run_id": self.run["id"], "experiment_id": self.run["experiment_id"], "trial_id": first,
            "host_id": str(self.agent.host_id), "token": share["url"].rpartition("/")[2],
            "number": "1", "before": "1", "after": "1", "key": "reuseport",
        }  # fmt: skip

    def _summarised(self, trial_id: str) -> bool:
        query = text("SELECT summary IS NOT NULL FROM trial WHERE id = :id")
        return bool(self.backend.operator(lambda session: session.scalar(query, {"id": trial_id})))

    def call(self, name: str) -> httpx2.Response:
        method, _, path = name.partition(" ")
        path = re.sub(r"\{([^}]*)\}", lambda match: self.ids.get(match[1], self.run["id"]), path)
        params = {"experiment_id": self.run["experiment_id"]} if path.endswith("by-experiment") else {}
        client = self.agent.client if name in HOST else self.person.client
        return client.request(method, path, params=params)

    def heartbeat(self) -> httpx2.Response:
        return self.agent.beat()

    @contextmanager
    def damaged(self, column: str, value: Any) -> Iterator[None]:
        """All rows; afterwards they are as before."""
        table, _, name = column.partition(".")
        self._execute(f"ALTER TABLE {table} ADD COLUMN kept jsonb")
        spoil = f"UPDATE {table} SET kept = {name}, {name} = CAST(:value AS jsonb) WHERE {name} IS NOT NULL"
        self._execute(spoil, value=json.dumps(value))
        try:
            yield
        finally:
            self._execute(f"UPDATE {table} SET {name} = kept WHERE kept IS NOT NULL")
            self._execute(f"ALTER TABLE {table} DROP COLUMN kept")

    def _execute(self, statement: str, **values: str) -> None:
        async def work(session: AsyncSession) -> None:
            await session.execute(text("SET LOCAL session_replication_role = replica"))  # the audit log's entries too
            await session.execute(text(statement), values)

        self.backend.operator(work)


@pytest.fixture(scope="module")
def lab(backend: Backend) -> Lab:
    return Lab(backend)


def test_there_are_columns_to_damage() -> None:
    assert {"host.inventory", "run_host.inventory", "trial_host.spec", "experiment_version.definition"} <= set(COLUMNS)


@pytest.mark.parametrize(("column", "value"), _CASES)
def test_no_read_fails_unexpectedly(lab: Lab, column: str, value: Any) -> None:
    with lab.damaged(column, value):
        answers = {name: lab.call(name) for name in READS}
        beat = lab.heartbeat()
    unexpected = {name: answer.text for name, answer in answers.items() if answer.status_code >= 500}
    assert unexpected == {}
    assert beat.status_code == 200, "a host is never shut out by what is stored about it"
    assert {name: answers[name].status_code for name in _LISTS} == dict.fromkeys(_LISTS, 200)
    refused = [answer.json() for answer in answers.values() if answer.status_code == 409]
    assert all(problem["code"] in {"unreadable", "trial-lost"} for problem in refused), refused


def test_the_damage_was_undone(lab: Lab) -> None:
    """Else the later cases would have damaged nothing that anybody could still read."""
    assert lab.call("GET /runs/{run_id}/report").json()["unreadable"] == []
    assert lab.call("GET /hosts/{host_id}").json()["inventory"]["cpu"]
