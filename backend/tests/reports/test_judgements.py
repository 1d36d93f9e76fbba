"""A newer version of the method judges runs anew; what an earlier one said otherwise stays, with version and date."""

from typing import Any, NamedTuple
from uuid import UUID

import pytest
from analysis.run_results import by_margin
from finished_runs import finished_run
from harness import Backend, Person, english
from ngxlab.analysis.method import METHOD
from ngxlab.runs.models import Run
from services import wait_until
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

NEXT = METHOD + 1
RATES = {"mutex-on": [1000, 1003, 1001], "mutex-off": [1002, 1001, 1004], "reuseport": [1300, 1308, 1304]}


class Judged(NamedTuple):
    backend: Backend
    person: Person
    run: dict[str, Any]

    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = self.person.client.get(f"/runs/{self.run['id']}/report").raise_for_status().json()
        return found

    def listed(self) -> dict[str, Any]:
        asked = {"experiment_id": self.run["experiment_id"]}
        (found,) = self.person.client.get("/runs", params=asked).raise_for_status().json()["items"]
        row: dict[str, Any] = found
        return row

    def share(self) -> str:
        made = self.person.client.post(f"/runs/{self.run['id']}/shares", json={}).raise_for_status().json()
        return str(made["url"].rpartition("/")[2])

    def shared(self, token: str, path: str = "") -> Any:
        return self.backend.client().get(f"/shared/{token}{path}").raise_for_status()

    def is_outdated(self) -> bool:
        (share,) = self.person.client.get(f"/runs/{self.run['id']}/shares").json()["items"]
        return bool(share["is_outdated"])

    def set(self, values: str) -> None:
        statement = text(f"UPDATE run SET {values} WHERE id = :id").bindparams(id=UUID(self.run["id"]))

        async def work(session: AsyncSession) -> None:
            await session.execute(statement)

        self.backend.operator(work)

    def let_alone(self) -> None:
        """The service does not judge it by itself, as after a try that failed."""
        failed = text(
            "INSERT INTO job (id, queue, kind, key, arguments, state, attempts, ended_at) "
            "VALUES (gen_random_uuid(), 'jobs.slow', 'run-verdict', :key, '{}', 'failed', 3, now())"
        ).bindparams(key=self.run["id"])

        async def work(session: AsyncSession) -> None:
            await session.execute(failed)

        self.backend.operator(work)

    def text(self) -> str:
        return str(self.person.client.get(f"/runs/{self.run['id']}/exports/report.md").raise_for_status().text)


@pytest.fixture
def judged(backend: Backend) -> Judged:
    person = backend.person()
    experiment = person.experiment(blocks=3)["id"]
    return Judged(backend, person, finished_run(backend, person, backend.agent(), experiment, RATES))


class Method:
    """From now on, another version of the method judges."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch

    def change(self, number: int, margin: float | None = None) -> None:
        """With ``margin``, what was better may be equivalent."""
        self._patch.setattr("ngxlab.runs.results.analysis.METHOD", number)
        if margin is not None:
            self._patch.setattr("ngxlab.runs.results.analysis.analyse_run", by_margin(margin))


@pytest.fixture
def method(monkeypatch: pytest.MonkeyPatch) -> Method:
    return Method(monkeypatch)


def _rate(judgement: dict[str, Any]) -> str:
    return next(english(one["word"]) for one in judgement["answers"] if "requests/s" in english(one["question"]))


def test_what_an_earlier_version_said_stays_beside_what_a_newer_one_says(judged: Judged, method: Method) -> None:
    before = judged.report()
    assert (before["judged"]["method"], before["judged_before"]) == (METHOD, [])
    assert "Yes" in _rate(before["analysis"])
    assert not judged.listed()["judged_differently"]
    method.change(NEXT, margin=0.6)
    after = judged.report()
    assert _rate(after["analysis"]) == "No difference"
    assert (after["judged"]["method"], after["judged"]["at"] > before["judged"]["at"]) == (NEXT, True)
    (former,) = after["judged_before"]
    assert (former["method"], former["judged_at"]) == (METHOD, before["judged"]["at"])
    assert former["until"] == after["judged"]["at"]
    assert former["headline"] == before["analysis"]["headline"]
    assert _rate(former) == _rate(before["analysis"])
    assert judged.listed()["judged_differently"]
    assert judged.report() == after  # once, however often it is read
    assert f"Judged differently before: on {before['judged']['at'][:10]} by method {METHOD} it said" in judged.text()


def test_a_link_shows_what_it_showed_and_by_which_version(judged: Judged, method: Method) -> None:
    token = judged.share()
    before, file = judged.shared(token).json(), judged.shared(token, "/exports/report.md").text
    method.change(NEXT, margin=0.6)
    assert _rate(judged.report()["analysis"]) == "No difference"
    assert judged.shared(token).json() == before
    assert judged.shared(token, "/exports/report.md").text == file
    assert before["judged"] == {"method": METHOD, "at": before["judged"]["at"]}
    assert "Yes" in _rate(before["analysis"])
    assert judged.is_outdated()


def test_a_newer_version_that_says_the_same_leaves_nothing_behind(judged: Judged, method: Method) -> None:
    judged.share()
    before = judged.report()
    method.change(NEXT)
    after = judged.report()
    assert (after["judged"]["method"], after["judged_before"]) == (NEXT, [])
    assert after["analysis"] == before["analysis"]
    assert not judged.listed()["judged_differently"]
    assert not judged.is_outdated()


def test_the_same_version_on_other_data_is_no_former_judgement(judged: Judged, method: Method) -> None:
    before = judged.report()
    method.change(METHOD, margin=0.6)
    after = judged.report()
    assert after["judged_before"] == []
    assert after["judged"]["at"] > before["judged"]["at"]


def test_what_was_judged_before_versions_were_counted_has_no_date(judged: Judged, method: Method) -> None:
    judged.let_alone()
    judged.set("method = 0, judged_at = NULL")
    method.change(METHOD, margin=0.6)
    (former,) = judged.report()["judged_before"]
    assert (former["method"], former["judged_at"]) == (0, None)
    assert "by a method from before versions were counted it said" in judged.text()


def test_a_former_judgement_that_cannot_be_read_costs_nothing_else(judged: Judged) -> None:
    judged.set("""judged_before = '[{"method": "x"}, 3]'""")
    assert judged.report()["judged_before"] == []
    judged.set("""judged_before = '{"no": "list"}'""")
    assert judged.report()["judged_before"] == []


def test_after_an_upgrade_runs_are_judged_without_anybody_reading_them(judged: Judged) -> None:
    judged.set("method = 0, judged_at = NULL")
    method = select(Run.method).where(Run.id == UUID(judged.run["id"]))
    wait_until(lambda: judged.backend.operator(lambda session: session.scalar(method)) == METHOD, "the judgement", 90)
