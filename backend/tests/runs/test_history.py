"""Finding runs among many: what a list's address may ask for."""

from typing import Any, NamedTuple

import pytest
from harness import Backend, Person
from ngxlab.accounts.models import Role
from ngxlab.runs.models import Run
from sqlalchemy import select


class History(NamedTuple):
    person: Person
    host: str
    experiment: str

    def found(self, **query: Any) -> list[int]:
        """Numbers of the runs of the experiment that match, in the order of the list."""
        asked = {"experiment_id": self.experiment, **query}
        answer = self.person.client.get("/runs", params=asked).raise_for_status().json()
        assert answer["total"] == len(answer["items"])
        return [item["number"] for item in answer["items"]]


@pytest.fixture(scope="module")
def history(backend: Backend) -> History:
    """Three runs: #1 and #2 have ended with an analysis, #3 waits."""
    person, agent = backend.person(Role.experimenter), backend.agent()
    experiment = person.experiment()["id"]
    for note in ("Before the upgrade", None, None):
        agent.beat()
        body = {"host_id": str(agent.host_id), "note": note}
        person.client.post(f"/experiments/{experiment}/runs", json=body).raise_for_status()
    analyses = {
        1: {"headline": "Better: `reuseport` served 12 % more.", "verdict": "decided", "nginx": ["nginx/1.22.1"]},
        2: {"headline": "Undecided: p99.", "verdict": "undecided", "nginx": ["nginx/1.22.1", "Tengine/3.1.0"]},
    }  # fmt: skip

    async def analysed(session: Any) -> None:
        for run in await session.scalars(select(Run).where(Run.experiment_id == experiment)):
            if run.number in analyses:
                run.analysis, run.state = analyses[run.number], "completed"
            if run.number == 2:
                run.builds = {"patched": "/opt/patched/nginx"}

    backend.operator(analysed)
    return History(person, agent.name, experiment)


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({}, [3, 2, 1]),
        ({"order": "created", "ascending": True}, [1, 2, 3]),
        ({"order": "verdict", "ascending": True}, [1, 2, 3]),
        ({"order": "verdict"}, [2, 1, 3]),
        ({"order": "state", "ascending": True}, [2, 1, 3]),
        ({"order": "name"}, [3, 2, 1]),
        ({"order": "duration"}, [3, 2, 1]),
        ({"search": "upgrade"}, [1]),
        ({"search": "REUSE serv"}, [1]),
        ({"search": "#2"}, [2]),
        ({"search": "experiment p99"}, [2]),
        ({"search": "1.22"}, [2, 1]),
        ({"search": "tengine"}, [2]),
        ({"search": "'); DROP TABLE run; -- \\"}, []),
        ({"verdict": "undecided"}, [2]),
        ({"state": "completed"}, [2, 1]),
        ({"nginx": "nginx/1.22.1"}, [2, 1]),
        ({"nginx": "Tengine/3.1.0"}, [2]),
        ({"nginx": "patched"}, [2]),
        ({"search": "of the upgrade"}, [1]),
        ({"search": "the"}, []),
        ({"search": "An"}, [3, 2, 1]),
        ({"template": "reuseport"}, [3, 2, 1]),
        ({"template": "other"}, []),
        ({"since": "2020-01-01", "until": "2099-01-01"}, [3, 2, 1]),
        ({"until": "2020-01-01"}, []),
        ({"host": "no such host"}, []),
        ({"by": "nobody@example.org"}, []),
    ],
    ids=str,
)
def test_the_runs_that_match_are_listed_in_order(history: History, query: dict[str, Any], numbers: list[int]) -> None:
    assert history.found(**query) == numbers


def test_by_host_and_by_author(history: History) -> None:
    for query in ({"host": history.host}, {"search": history.host}, {"by": history.person.email}):
        assert history.found(**query) == [3, 2, 1]
    assert history.found(search=history.person.email) == [3, 2, 1]


def test_the_choices_are_those_of_the_runs(history: History) -> None:
    choices = history.person.client.get("/runs/choices").raise_for_status().json()
    assert "reuseport" in choices["templates"]
    assert history.host in choices["hosts"]
    assert history.person.email in choices["people"]
    assert {"nginx/1.22.1", "Tengine/3.1.0", "patched"} <= set(choices["nginx"])


@pytest.mark.parametrize(
    "query", [{"state": "odd"}, {"order": "odd"}, {"since": "May"}, {"since": "0"}, {"limit": 0}, {"start": -1}]
)
def test_what_is_no_filter_is_refused(history: History, query: dict[str, Any]) -> None:
    assert history.person.client.get("/runs", params=query).status_code == 422
