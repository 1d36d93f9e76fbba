"""A schedule of an experiment, and what became of its times."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import services
from harness import Agent, Backend, Person
from ngxlab.accounts.models import Role
from ngxlab.schedules.starting import settle_next
from sqlalchemy import text

DAILY = {
    "repeats": "daily",
    "time": f"{datetime.now(ZoneInfo('Europe/Berlin')) - timedelta(hours=6):%H:%M}",
    "zone": "Europe/Berlin",
}
"""Not at a time that is near while the tests run."""


@dataclass
class Scheduled:
    backend: Backend
    person: Person
    agent: Agent
    experiment_id: str
    id: str

    def due(self, ago: timedelta) -> None:
        """Its next time was so long ago."""
        self.sql("UPDATE schedule SET next_at = :at WHERE id = :id", at=datetime.now(UTC) - ago)

    def sql(self, query: str, **values: Any) -> None:
        self.backend.operator(lambda session: session.execute(text(query), {"id": self.id, **values}))

    def now(self) -> dict[str, Any]:
        listed = self.person.client.get("/schedules", params={"experiment_id": self.experiment_id})
        found: dict[str, Any] = next(one for one in listed.raise_for_status().json()["items"] if one["id"] == self.id)
        return found

    def settle(self, times: int = 1) -> list[dict[str, Any]]:
        """What became of its times, once there are so many. Whoever sees to it first, this process or the server."""

        def seen() -> bool:
            self.agent.beat()
            self.backend.operator(lambda session: settle_next(session, datetime.now(UTC)))
            return len(self.now()["latest"]) >= times

        services.wait_until(seen, "a time of the schedule", 60)
        latest: list[dict[str, Any]] = self.now()["latest"]
        return latest


def schedule(backend: Backend, role: Role = Role.experimenter, **fields: Any) -> Scheduled:
    person, agent = backend.person(role), backend.agent()
    experiment_id = person.experiment()["id"]
    body = {"timing": DAILY, "run": {"host_id": str(agent.host_id)}, **fields}
    made = person.client.post(f"/experiments/{experiment_id}/schedules", json=body).raise_for_status().json()
    return Scheduled(backend, person, agent, experiment_id, made["id"])
