"""Links that show a comparison or trends: like those that show a report."""

from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import httpx2
import pytest
from finished_runs import finished_run
from harness import Backend, Person, english
from ngxlab.accounts.models import Role
from shares.pages import served
from sqlalchemy import text
from trends.test_trends import rates


class Lab(NamedTuple):
    backend: Backend
    person: Person
    experiment: str
    runs: list[dict[str, Any]]

    @property
    def ids(self) -> list[str]:
        return [run["id"] for run in self.runs]

    def compared(self, **body: Any) -> dict[str, Any]:
        made = self.person.client.post("/compare/shares", json={"runs": self.ids, **body})
        link: dict[str, Any] = made.raise_for_status().json()
        return link

    def trends(self, **body: Any) -> dict[str, Any]:
        made = self.person.client.post(f"/experiments/{self.experiment}/trends/shares", json=body)
        link: dict[str, Any] = made.raise_for_status().json()
        return link

    def add_run(self, rate: float) -> dict[str, Any]:
        return finished_run(self.backend, self.person, self.backend.agent(), self.experiment, rates(rate))


@pytest.fixture
def lab(backend: Backend) -> Lab:
    """Two runs, the second of which serves a third more."""
    person, agent = backend.person(Role.experimenter), backend.agent()
    experiment = person.experiment(blocks=3)["id"]
    runs = [finished_run(backend, person, agent, experiment, rates(rate)) for rate in (1000, 1330)]
    return Lab(backend, person, experiment, runs)


def _path(link: dict[str, Any]) -> str:
    """The API's path behind a link's page."""
    return str("/shared/" + link["url"].partition("/shared/")[2])


def _open(lab: Lab, link: dict[str, Any]) -> httpx2.Response:
    return lab.backend.client().get(_path(link))


def test_a_comparison_is_shown_as_its_owner_saw_it(lab: Lab) -> None:
    arm = lab.runs[0]["arms"][0]["key"]
    link = lab.compared(arms=[arm], factor=["none"], label="for the team")
    shown = _open(lab, link).raise_for_status().json()
    query = {"runs": lab.ids, "arms": [arm], "factor": ["none"]}
    seen = lab.person.client.get("/compare", params=query).json()
    assert {name: shown[name] for name in seen} == seen
    assert shown["as_of"] == link["as_of"]
    assert {one["key"] for one in shown["catalogue"]} >= {"requests_per_s"}
    (listed,) = lab.person.client.get("/compare/shares", params={"runs": lab.ids[::-1]}).json()["items"]
    assert (listed["id"], listed["label"], listed["opened"]) == (link["id"], "for the team", 1)
    assert (listed["kind"], listed["is_outdated"]) == ("comparison", False)


def test_trends_stay_until_they_are_refreshed(lab: Lab) -> None:
    link = lab.trends()
    before = _open(lab, link).raise_for_status().json()
    assert [run["id"] for run in before["runs"]] == lab.ids
    lab.add_run(1000)
    assert _open(lab, link).json() == before
    (listed,) = lab.person.client.get(f"/experiments/{lab.experiment}/trends/shares").json()["items"]
    assert (listed["kind"], listed["is_outdated"]) == ("trends", True)
    lab.person.client.post(f"/shares/{link['id']}/refresh").raise_for_status()
    assert len(_open(lab, link).json()["runs"]) == 3


def test_a_link_shows_what_it_was_made_for_and_nothing_else(lab: Lab) -> None:
    stranger = lab.backend.client()
    report = lab.person.client.post(f"/runs/{lab.ids[0]}/shares", json={}).raise_for_status().json()
    links = {"": report, "/comparison": lab.compared(), "/trends": lab.trends()}
    for own, link in links.items():
        token = _path(link).split("/")[2]
        found = {page: stranger.get(f"/shared/{token}{page}").status_code for page in links}
        assert found == {page: 200 if page == own else 404 for page in links}
    tokens = {own: _path(link).split("/")[2] for own, link in links.items()}
    trials = [run["trials"][0]["id"] for run in (*lab.runs, lab.add_run(900))]
    drawn = {
        own: [stranger.get(f"/shared/{token}/trials/{trial}/series").json()["code"] for trial in trials]
        for own, token in tokens.items()
    }
    no, yes = "not-found", "unreadable"  # nothing was measured in these runs
    assert drawn == {"": [yes, no, no], "/comparison": [yes, yes, no], "/trends": [no, no, no]}
    for own in ("/comparison", "/trends"):
        for rest in (f"trials/{trials[0]}/artefacts", f"trials/{trials[0]}/latency-maps", "exports/report.md"):
            assert stranger.get(f"/shared/{tokens[own]}/{rest}").status_code == 404


def test_whoever_does_not_own_all_of_it_cannot_share_it(lab: Lab) -> None:
    stranger = lab.backend.person(Role.experimenter)
    own = stranger.run(lab.backend.agent())["id"]
    for runs in (lab.ids, [own, lab.ids[0]]):
        refused = stranger.client.post("/compare/shares", json={"runs": runs})
        assert (refused.status_code, refused.json()["code"]) == (403, "not-owner")
        assert stranger.client.get("/compare/shares", params={"runs": runs}).json()["code"] == "not-owner"
    for link in (lab.compared(), lab.trends()):
        assert stranger.client.delete(f"/shares/{link['id']}").json()["code"] == "not-owner"
        assert stranger.client.post(f"/shares/{link['id']}/refresh").json()["code"] == "not-owner"
        lab.person.client.delete(f"/shares/{link['id']}").raise_for_status()
        assert _open(lab, link).json()["code"] == "unknown-link"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"runs": ["one"]}, 422),
        ({"runs": ["one", "one"]}, 422),
        ({"runs": ["one", "two"], "arms": ["none"]}, 422),
        ({"runs": ["one", "two"], "baseline": "none"}, 422),
        ({"runs": ["one", "nowhere"]}, 404),
    ],
)
def test_what_cannot_be_compared_is_not_shared(lab: Lab, body: dict[str, Any], status: int) -> None:
    ids = dict(zip(("one", "two"), lab.ids, strict=True)) | {"nowhere": "00000000-0000-0000-0000-000000000000"}
    runs = [ids[name] for name in body["runs"]]
    answer = lab.person.client.post("/compare/shares", json=body | {"runs": runs})
    assert answer.status_code == status, answer.text
    if answer.status_code == 422 and len(set(runs)) == 2:
        assert lab.person.client.get("/compare/shares", params={"runs": lab.ids}).json()["items"] == []


def test_a_link_ends_with_each_run_that_it_shows(lab: Lab) -> None:
    links = [lab.compared(), lab.trends()]
    listed = lab.person.client.get(f"/runs/{lab.ids[1]}/shares").json()["items"]
    assert {one["id"] for one in listed} == {link["id"] for link in links}
    refused = lab.person.client.delete(f"/runs/{lab.ids[1]}")
    assert (refused.status_code, refused.json()["code"]) == (409, "run-shared")
    lab.person.client.delete(f"/runs/{lab.ids[1]}", params={"end_links": True}).raise_for_status()
    assert [_open(lab, link).status_code for link in links] == [404, 404]


def test_links_unfold_with_what_they_show(lab: Lab, tmp_path: Any) -> None:
    links = [lab.compared(), lab.trends()]
    found = lab.person.client.get("/compare", params={"runs": lab.ids}).json()["analysis"]
    said = english(found["statements"][0]["text"])
    told = served(lab.backend, tmp_path, [_path(link) for link in links])
    assert "<title>Compared: An experiment #1, An experiment #2 · ngxlab</title>" in told[0]
    assert f'<meta property="og:description" content="{said[:100]}' in told[0]
    assert "<title>Trends of An experiment · ngxlab</title>" in told[1]
    assert 'content="Is run #2 different from those before?' in told[1]


def test_a_comparison_that_cannot_be_read_is_listed_and_can_be_revoked(lab: Lab, tmp_path: Path) -> None:
    link = lab.compared()
    spoil = text("UPDATE share SET asked = '{}' WHERE id = :id")
    lab.backend.operator(lambda session: session.execute(spoil, {"id": UUID(link["id"])}))
    administrator = lab.backend.person(Role.administrator).client
    listed = administrator.get("/shares").raise_for_status().json()["items"]
    assert next(one for one in listed if one["id"] == link["id"])["what"] == "What it compares cannot be read"
    assert served(lab.backend, tmp_path, [_path(link)]) == ["<head></head>"]
    assert lab.backend.person(Role.experimenter).client.delete(f"/shares/{link['id']}").status_code == 403
    assert lab.person.client.delete(f"/shares/{link['id']}").status_code == 204
