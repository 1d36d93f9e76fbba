"""What of a repository a run measures: said when it starts, shown, and what lists and trends are filtered by."""

from typing import Any

import pytest
from finished_runs import finished_run
from harness import Agent, Backend, Person

ARMS = ("mutex-on", "mutex-off", "reuseport")
COMMIT = "0123456789abcdef0123456789abcdef01234567"
OF_MAIN = {"commit": COMMIT, "branch": "main", "pull_request": None}


def _start(person: Person, agent: Agent, experiment: str, revision: Any) -> Any:
    agent.beat()
    body = {"host_id": str(agent.host_id), "revision": revision}
    return person.client.post(f"/experiments/{experiment}/runs", json=body)


def _listed(person: Person, experiment: str, branch: str) -> list[int]:
    items = person.client.get("/runs", params={"experiment_id": experiment, "branch": branch}).json()["items"]
    return [item["number"] for item in items]


def test_it_is_shown_with_the_run_and_lists_are_filtered_by_it(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    experiment = person.experiment()["id"]
    _start(person, agent, experiment, {"commit": COMMIT.upper(), "branch": "main"}).raise_for_status()
    asked = {"branch": "fix/größe", "pull_request": 12}
    second = _start(person, agent, experiment, asked).raise_for_status().json()
    assert second["revision"] == {"commit": None, **asked}
    nothing = _start(person, agent, experiment, {}).raise_for_status().json()
    assert nothing["revision"] is None
    first = person.client.get("/runs", params={"experiment_id": experiment}).json()["items"][-1]
    assert first["revision"] == OF_MAIN
    assert (_listed(person, experiment, "main"), _listed(person, experiment, "fix/größe")) == ([1], [2])
    assert {"main", "fix/größe"} <= set(person.client.get("/runs/choices").json()["branches"])


def test_a_run_is_of_the_version_that_it_names_whatever_was_saved_meanwhile(backend: Backend) -> None:
    """Two jobs that save one after the other, and then start: each measures what it has saved."""
    person, agent = backend.person(), backend.agent()
    made = person.experiment()
    plan = made["definition"]["plan"]
    body = {"base_version": 1, "definition": made["definition"] | {"plan": plan | {"blocks": plan["blocks"] + 1}}}
    person.client.put(f"/experiments/{made['id']}/definition", json=body).raise_for_status()
    agent.beat()
    place, path = {"host_id": str(agent.host_id)}, f"/experiments/{made['id']}/runs"
    versions = [
        person.client.post(path, json=place | named).raise_for_status().json()["version"]
        for named in ({"version": 1}, {"version": 2}, {})
    ]
    assert versions == [1, 2, 2]
    assert person.client.post(path, json=place | {"version": 3}).status_code == 404


@pytest.mark.parametrize(
    "revision",
    [
        {"commit": "main"},
        {"commit": "abc"},
        {"commit": "a" * 65},
        {"branch": "a b"},
        {"branch": "a\nb"},
        {"branch": "a..b"},
        {"branch": "a" * 256},
        {"branch": ""},
        {"pull_request": 0},
        {"pull_request": 2**31},
        {"author": "somebody"},
    ],
)
def test_what_is_none_is_refused(backend: Backend, revision: dict[str, Any]) -> None:
    person, agent = backend.person(), backend.agent()
    answer = _start(person, agent, person.experiment()["id"], revision)
    assert answer.status_code == 422
    assert f"revision.{next(iter(revision))}" in answer.text


def test_trends_and_reports_tell_branches_apart(backend: Backend) -> None:
    person, agent = backend.person(), backend.agent()
    experiment = person.experiment(blocks=3)["id"]
    rates = {arm: [1000.0, 1002.0, 1004.0] for arm in ARMS}
    of_main = finished_run(backend, person, agent, experiment, rates, revision={"commit": COMMIT, "branch": "main"})
    finished_run(backend, person, agent, experiment, rates, revision={"branch": "other"})
    path = f"/experiments/{experiment}/trends"
    every = person.client.get(path).json()
    assert ([run["number"] for run in every["runs"]], every["branches"]) == ([1, 2], ["main", "other"])
    main = person.client.get(path, params={"branch": "main"}).json()
    assert ([run["revision"] for run in main["runs"]], main["branch"], main["finished"]) == ([OF_MAIN], "main", 1)
    assert person.client.get(path, params={"branch": "none"}).json()["runs"] == []
    assert person.client.get(f"/runs/{of_main['id']}/report").json()["run"]["revision"] == OF_MAIN
    exported = person.client.get(f"/runs/{of_main['id']}/exports/report.md").text
    assert f"- Of branch main, commit {COMMIT}" in exported
    assert f'commit="{COMMIT}"' in person.client.get(f"/runs/{of_main['id']}/exports/metrics.txt").text
