"""An installation with an administrator, and what there is to act on."""

from dataclasses import dataclass
from typing import Any

import httpx2
from harness import Agent, Backend, Coordinator, Person
from ngxlab.accounts.models import Role


@dataclass(frozen=True)
class Other:
    """``path``: of their account."""

    person: Person
    path: str


@dataclass
class World:
    """An administrator, and what they act on."""

    backend: Backend
    person: Person
    agent: Agent
    coordinator: Coordinator

    @property
    def client(self) -> httpx2.Client:
        return self.person.client

    def run(self) -> str:
        return str(self.person.run(self.agent)["id"])

    def post(self, path: str, **body: Any) -> Any:
        answer = self.client.post(path, json=body).raise_for_status()
        return answer.json() if answer.content else None

    def delete(self, path: str) -> None:
        self.client.delete(path).raise_for_status()

    def other(self) -> "Other":
        """Somebody else, who is signed in."""
        person = self.backend.person(Role.viewer)
        found = person.client.get("/auth/me").raise_for_status().json()["account"]["id"]
        return Other(person, f"/accounts/{found}")

    def share(self) -> Any:
        return self.post(f"/runs/{self.run()}/shares")

    def measured_run(self) -> Any:
        """A run that is over, on a host of its own."""
        agent = self.backend.agent()
        run_id = self.person.run(agent)["id"]
        self.coordinator.lease(run_id).raise_for_status()
        while (step := self.coordinator.next(run_id))["kind"] == "trial":
            agent.whole_trial(self.coordinator, step["trial"]["trial_id"])
        return self.client.get(f"/runs/{run_id}").json()

    def failed_run(self) -> str:
        agent = self.backend.agent()
        run_id = str(self.person.run(agent)["id"])
        trial_id = self.coordinator.begin(run_id)
        agent.prepare(trial_id)
        agent.end(trial_id, 2, "failed", "nginx-config")
        while self.client.get(f"/runs/{run_id}").json()["state"] != "failed":
            self.coordinator.next(run_id)
        return run_id
