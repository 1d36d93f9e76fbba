"""What belongs to a team is read by its people, and used by them, alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from finished_runs import finished_run
from harness import Agent, Backend, Person, english
from ngxlab.accounts import repository
from ngxlab.accounts.access import READABLE
from ngxlab.accounts.models import Role
from ngxlab.core.clock import utcnow
from ngxlab.schedules.starting import settle_next
from services import wait_until
from sqlalchemy import text
from trends.test_trends import rates
from web.operations import EXPERIMENTER, OF_NO_TEAM, VIEWER, call

OF_ARMS = {
    "GET /runs/{run_id}/profiles/{arm_key}": {"no-profile"},
    "GET /runs/{run_id}/profiles/{arm_key}/folded": {"no-profile"},
    "GET /runs/{run_id}/profiles/{arm_key}/pprof": {"no-profile"},
    "GET /runs/{run_id}/profiles/{arm_key}/difference": {"invalid"},
    "GET /trials/{trial_id}/moment": {"invalid"},
}


@dataclass
class Lab:
    """A finished run of a team's experiment, on the team's own host."""

    backend: Backend
    administrator: Person
    member: Person
    outsider: Person
    agent: Agent
    team: dict[str, Any]
    run: dict[str, Any]

    @property
    def ids(self) -> dict[str, str]:
        ids = {"run_id": self.run["id"], "experiment_id": self.run["experiment_id"]}
        of_run = {"trial_id": self.run["trials"][0]["id"], "arm_key": self.run["arms"][0]["key"]}
        return ids | of_run | {"host_id": str(self.agent.host_id)}

    def set_members(self, *people: Person) -> None:
        def id_of(person: Person) -> str:
            return str(self.backend.operator(lambda session: repository.account_by_email(session, person.email)).id)

        body = {"members": [id_of(person) for person in people]}
        self.administrator.client.patch(f"/teams/{self.team['id']}", json=body).raise_for_status()

    def run_there(self, person: Person) -> httpx2.Response:
        self.agent.beat().raise_for_status()
        body = {"host_id": str(self.agent.host_id)}
        return person.client.post(f"/experiments/{person.experiment()['id']}/runs", json=body)


@pytest.fixture(scope="module")
def lab(backend: Backend) -> Lab:
    administrator, agent = backend.person(), backend.agent()
    member, outsider = backend.person(Role.experimenter), backend.person(Role.experimenter)
    team = administrator.client.post("/teams", json={"name": "Edge"}).raise_for_status().json()
    experiment = member.experiment(blocks=3)
    run = finished_run(backend, member, agent, experiment["id"], rates(1000))
    made = Lab(backend, administrator, member, outsider, agent, team, run)
    made.set_members(member)
    member.client.patch(f"/experiments/{experiment['id']}", json={"team_id": team["id"]}).raise_for_status()
    administrator.client.put(f"/hosts/{agent.host_id}/team", json={"team_id": team["id"]}).raise_for_status()
    return made


def test_each_part_of_a_path_says_whose_it_is() -> None:
    parts = {part for name in VIEWER | EXPERIMENTER for part in re.findall(r"\{([^}]*)\}", name)}
    assert parts - OF_NO_TEAM == set(READABLE)


@pytest.mark.parametrize(
    "name", sorted(name for name in VIEWER | EXPERIMENTER if any(f"{{{part}}}" in name for part in READABLE))
)
def test_nobody_else_reads_or_changes_it(lab: Lab, name: str) -> None:
    refused = call(lab.outsider.client, name, lab.ids)
    assert refused.status_code == 404, (name, refused.text)
    assert refused.json()["detail"].startswith("There is no such ")


@pytest.mark.parametrize("who", ["member", "administrator"])
def test_its_people_and_administrators_read_it(lab: Lab, who: str) -> None:
    client = getattr(lab, who).client
    reads = [name for name in VIEWER if name.startswith("GET") and any(f"{{{part}}}" in name for part in READABLE)]
    for name in sorted(set(reads) - {"GET /runs/{run_id}/live"}):
        answer = call(client, name, lab.ids)
        # Of an arm there are profiles only, which this run has not; their difference needs another arm besides,
        # and a moment an instant.
        assert answer.status_code in {200, 409} or answer.json()["code"] in OF_ARMS.get(name, ()), (name, answer.text)
    assert client.get(f"/runs/{lab.run['id']}").json()["may_change"]
    shown = client.get(f"/experiments/{lab.run['experiment_id']}").json()
    assert shown["team"] == {"id": lab.team["id"], "name": "Edge"}


def test_lists_leave_it_out(lab: Lab) -> None:
    run_id, experiment_id = lab.run["id"], lab.run["experiment_id"]
    lab.member.client.patch(f"/runs/{run_id}/tags", json={"add": ["edge-only"]}).raise_for_status()

    def seen(client: httpx2.Client) -> list[bool]:
        runs = client.get("/runs", params={"limit": 200}).raise_for_status().json()
        found = client.get("/runs", params={"search": "edge-only"}).json()
        experiments = client.get("/experiments", params={"limit": 200}).json()["items"]
        newest = client.get("/runs/by-experiment", params={"experiment_id": experiment_id}).json()["items"]
        return [
            run_id in {run["id"] for run in runs["items"]},
            found["total"] == 1,
            experiment_id in {one["id"] for one in experiments},
            len(newest) == 1,
            "edge-only" in client.get("/runs/choices").json()["tags"],
            lab.agent.name in client.get("/runs/choices").json()["hosts"],
            lab.member.email in client.get("/runs/choices").json()["people"],
        ]

    assert seen(lab.outsider.client) == [False] * 7
    assert seen(lab.member.client) == seen(lab.administrator.client) == [True] * 7


def test_comparisons_do_not_lead_to_it(lab: Lab) -> None:
    mine, agent = lab.outsider.experiment(blocks=3)["id"], lab.backend.agent()
    own = finished_run(lab.backend, lab.outsider, agent, mine, rates(1000))["id"]
    for client, status in ((lab.outsider.client, 404), (lab.administrator.client, 200)):
        assert client.get("/compare", params={"runs": [own, lab.run["id"]]}).status_code == status
    assert lab.outsider.client.post("/compare/shares", json={"runs": [own, lab.run["id"]]}).status_code == 404


def test_the_noise_of_its_runs_is_told_to_its_people_alone(lab: Lab) -> None:
    """What a draft would find, as the next version of the experiment."""
    version = lab.member.client.get(f"/experiments/{lab.run['experiment_id']}").raise_for_status().json()
    agent = lab.backend.agent()
    agent.beat().raise_for_status()
    body = {"host_id": str(agent.host_id), "definition": version["definition"]}
    of_theirs = body | {"experiment_id": lab.run["experiment_id"]}
    assert lab.outsider.client.post("/experiments/power", json=of_theirs).status_code == 404
    for person, asked in ((lab.outsider, body), (lab.member, of_theirs)):
        told = person.client.post("/experiments/power", json=asked).raise_for_status().json()
        assert told["unknown"] or told["metrics"]


def test_only_its_people_run_on_its_host(lab: Lab) -> None:
    refused = lab.run_there(lab.outsider)
    assert (refused.status_code, refused.json()["code"]) == (403, "team")
    assert lab.agent.name in refused.json()["detail"]
    body = {"host_id": str(lab.agent.host_id), "experiment_id": lab.outsider.experiment()["id"]}
    assert lab.outsider.client.post("/experiments/config-tests", json=body).json()["code"] == "team"
    for person in (lab.member, lab.administrator):
        started = lab.run_there(person).raise_for_status().json()
        person.client.post(f"/runs/{started['id']}/cancel").raise_for_status()
    shown = {host["id"]: host["team"] for host in lab.outsider.client.get("/hosts").json()["items"]}
    assert shown[str(lab.agent.host_id)]["name"] == "Edge"


def test_a_test_of_a_configuration_is_its_authors(lab: Lab) -> None:
    lab.agent.beat().raise_for_status()
    path = "/experiments/config-tests"
    body = {"host_id": str(lab.agent.host_id), "experiment_id": lab.run["experiment_id"]}
    made = lab.member.client.post(path, json=body).raise_for_status().json()
    readers = (lab.outsider, lab.member, lab.administrator)
    assert [one.client.get(f"{path}/{made['id']}").status_code for one in readers] == [404, 200, 200]


def test_who_waits_for_a_host_learns_no_name_of_a_teams_run(lab: Lab) -> None:
    administrator = lab.administrator.client
    started = lab.run_there(lab.member).raise_for_status().json()
    administrator.patch(f"/experiments/{started['experiment_id']}", json={"team_id": lab.team["id"]})
    lab.backend.coordinator().begin(started["id"])
    administrator.put(f"/hosts/{lab.agent.host_id}/team", json={"team_id": None}).raise_for_status()
    waits = lab.run_there(lab.outsider).raise_for_status().json()
    assert english(waits["progress"]["waiting_for"]) == f"Waits for host {lab.agent.name}: a run of a team uses it."
    administrator.put(f"/hosts/{lab.agent.host_id}/team", json={"team_id": lab.team["id"]}).raise_for_status()
    for run in (started, waits):
        administrator.post(f"/runs/{run['id']}/cancel").raise_for_status()


def test_what_is_made_of_it_is_the_teams_too(lab: Lab) -> None:
    path = f"/experiments/{lab.run['experiment_id']}/clone"
    cloned = lab.member.client.post(path, json={"name": "again"}).raise_for_status().json()
    assert cloned["team"]["name"] == "Edge"


def test_nobody_gives_to_a_team_that_they_are_not_in(lab: Lab) -> None:
    mine = lab.outsider.experiment()["id"]
    refused = lab.outsider.client.patch(f"/experiments/{mine}", json={"team_id": lab.team["id"]})
    assert (refused.status_code, refused.json()["code"]) == (403, "team")
    nobody = {"team_id": str(uuid4())}
    for person in (lab.outsider, lab.administrator):
        assert person.client.patch(f"/experiments/{mine}", json=nobody).status_code == 404
    assert lab.administrator.client.put(f"/hosts/{lab.agent.host_id}/team", json=nobody).status_code == 404


@pytest.fixture
def newcomer(lab: Lab) -> Iterator[Person]:
    """Somebody who is in the team until the test takes them out."""
    person = lab.backend.person(Role.experimenter)
    lab.set_members(lab.member, person)
    yield person
    lab.set_members(lab.member)


def test_who_leaves_the_team_reads_it_no_longer(lab: Lab, newcomer: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ngxlab.live.router._KEEP_ALIVE_S", 0.1)
    path = f"/runs/{lab.run_there(newcomer).raise_for_status().json()['id']}"
    experiment = newcomer.client.get(path).json()["experiment_id"]
    newcomer.client.patch(f"/experiments/{experiment}", json={"team_id": lab.team["id"]}).raise_for_status()
    with newcomer.client.stream("GET", f"{path}/live") as events:
        lines = events.iter_lines()
        assert next(lines)
        lab.set_members(lab.member)
        assert [line for line in lines if line == "event: over"] == []
    assert newcomer.client.get(path).status_code == 404
    lab.administrator.client.post(f"{path}/cancel").raise_for_status()


def test_schedules_of_who_left_the_team_pause(lab: Lab, newcomer: Person) -> None:
    experiment_id = newcomer.experiment()["id"]
    newcomer.client.patch(f"/experiments/{experiment_id}", json={"team_id": lab.team["id"]}).raise_for_status()
    timing = {"repeats": "daily", "time": "02:00", "zone": "UTC"}
    body = {"timing": timing, "run": {"host_id": str(lab.agent.host_id)}}
    path = f"/experiments/{experiment_id}/schedules"
    schedule = newcomer.client.post(path, json=body).raise_for_status().json()
    lab.set_members(lab.member)
    assert schedule["id"] not in {one["id"] for one in lab.outsider.client.get("/schedules").json()["items"]}
    due = text("UPDATE schedule SET next_at = now() - interval '1 second' WHERE id = :id")
    lab.backend.operator(lambda session: session.execute(due, {"id": schedule["id"]}))

    def shown() -> dict[str, Any]:
        lab.backend.operator(lambda session: settle_next(session, utcnow()))
        listed = lab.administrator.client.get("/schedules", params={"experiment_id": experiment_id}).json()["items"]
        found: dict[str, Any] = listed[0]
        return found

    wait_until(lambda: shown()["state"] == "paused", "the pause")
    assert shown()["pause_reason"] == f"{newcomer.email} is not in the team of this experiment any more."


def test_teams_are_kept_by_administrators(lab: Lab) -> None:
    administrator = lab.administrator.client
    assert lab.member.client.post("/teams", json={"name": "Mine"}).status_code == 403
    taken = administrator.post("/teams", json={"name": "Edge"})
    assert (taken.status_code, taken.json()["code"]) == (409, "name-taken")
    other = administrator.post("/teams", json={"name": "Cache"}).raise_for_status().json()
    path = f"/teams/{other['id']}"
    assert administrator.patch(path, json={"name": "Edge"}).json()["code"] == "name-taken"
    assert administrator.patch(path, json={"name": "Caches"}).raise_for_status().json()["name"] == "Caches"
    kept = administrator.delete(f"/teams/{lab.team['id']}")
    assert (kept.status_code, kept.json()["code"]) == (409, "team-owns-something")
    assert [team["name"] for team in lab.member.client.get("/teams").json()["items"]] == ["Edge"]
    assert lab.outsider.client.get("/teams").json()["items"] == []
    members = {one["email"] for one in lab.member.client.get("/teams").json()["items"][0]["members"]}
    assert lab.member.email in members
    administrator.delete(path).raise_for_status()
    assert administrator.delete(path).status_code == 404
