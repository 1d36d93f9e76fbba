"""A star is the team's: anybody who experiments sets it, everybody sees it, and lists are filtered by it."""

from typing import Any

from harness import Backend, Person
from ngxlab.accounts.models import Role


def _listed(person: Person, run: dict[str, Any], **query: Any) -> list[bool]:
    asked = {"experiment_id": run["experiment_id"], **query}
    items = person.client.get("/runs", params=asked).raise_for_status().json()["items"]
    return [item["starred"] for item in items]


def _entries(backend: Backend, run: dict[str, Any]) -> list[tuple[str, str]]:
    asked: dict[str, Any] = {"act": ["run-starred", "run-unstarred"], "limit": 200}
    items = backend.person().client.get("/audit", params=asked).raise_for_status().json()["items"]
    return [(item["act"], item["actor_name"]) for item in items if item["object_id"] == run["id"]]


def test_it_is_seen_by_all_and_entered_once(backend: Backend) -> None:
    owner, other = backend.person(Role.experimenter), backend.person(Role.experimenter)
    run = owner.run(backend.agent())
    assert _listed(owner, run, starred=True) == []
    for _ in range(2):
        other.client.put(f"/runs/{run['id']}/star").raise_for_status()
    viewer = backend.person(Role.viewer)
    assert viewer.client.get(f"/runs/{run['id']}").json()["starred"]
    assert _listed(viewer, run, starred=True) == [True]
    assert viewer.client.delete(f"/runs/{run['id']}/star").status_code == 403
    for _ in range(2):
        owner.client.delete(f"/runs/{run['id']}/star").raise_for_status()
    assert _listed(viewer, run) == [False]
    assert _entries(backend, run) == [("run-unstarred", owner.email), ("run-starred", other.email)]
