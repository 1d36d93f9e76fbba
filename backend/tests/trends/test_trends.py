"""GET /experiments/ID/trends: finished runs of one experiment over time, and what a reader is told of them."""

from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest
from finished_runs import Rates, finished_run
from harness import Agent, Backend, Person, english
from ngxlab.accounts.models import Role
from ngxlab.runs import repository
from services import wait_until
from sqlalchemy.ext.asyncio import AsyncSession

ARMS = ("mutex-on", "mutex-off", "reuseport")
SCATTER = (1.0, 1.004, 0.998, 1.002)
"""How much one run's rate differs from the next."""


class Lab(NamedTuple):
    backend: Backend
    person: Person
    agent: Agent
    experiment: str

    def run(self, rate: float, agent: Agent | None = None) -> dict[str, Any]:
        return finished_run(self.backend, self.person, agent or self.agent, self.experiment, rates(rate))

    def trends(self) -> dict[str, Any]:
        answer = self.person.client.get(f"/experiments/{self.experiment}/trends")
        found: dict[str, Any] = answer.raise_for_status().json()
        return found

    def complete(self) -> dict[str, Any]:
        """Once no means are being computed any more."""
        wait_until(lambda: not any(one["is_pending"] for one in self.trends()["left_out"]), "the older means", 120)
        return self.trends()


def rates(rate: float, blocks: int = 3) -> Rates:
    return {
        arm: [rate * (1 + 0.002 * (3 * block + place) % 0.007) for block in range(blocks)]
        for place, arm in enumerate(ARMS)
    }


def line_of(trends: dict[str, Any], arm: str = "reuseport", metric: str = "requests_per_s") -> dict[str, Any]:
    [found] = [one for one in trends["metrics"] if one["name"] == metric]
    [line] = [one for one in found["lines"] if one["arm"] == arm]
    result: dict[str, Any] = line
    return result


def lab(backend: Backend) -> Lab:
    person = backend.person(Role.experimenter)
    return Lab(backend, person, backend.agent(), person.experiment(blocks=3)["id"])


@pytest.fixture(scope="module")
def changed(backend: Backend) -> dict[str, Any]:
    """Four runs, four with a third more requests/s on another host with another kernel, and a slow one."""
    made = lab(backend)
    for factor in SCATTER:
        made.run(1000 * factor)
    other = backend.agent(kernel="6.1.99")
    for factor in SCATTER:
        made.run(1330 * factor, other)
    made.run(1000, other)
    return made.trends()


def test_each_point_is_the_mean_of_an_arm_with_its_interval(changed: dict[str, Any]) -> None:
    assert [run["number"] for run in changed["runs"]] == list(range(1, 10))
    assert [one["name"] for one in changed["metrics"]] == ["worker_cpu_cv", "requests_per_s", "latency_p99_us"]
    assert all([one["arm"] for one in metric["lines"]] == list(ARMS) for metric in changed["metrics"])
    first = line_of(changed)["points"][0]
    assert (first["run"], first["trials"], first["missing"]) == (1, 3, None)
    assert first["low"] < first["mean"] < first["high"]
    assert first["mean"] == pytest.approx(1000, rel=0.01)
    assert changed["left_out"] == []
    assert changed["finished"] == 9


def test_each_run_names_the_one_before_and_what_changed_since(changed: dict[str, Any]) -> None:
    runs = changed["runs"]
    assert [run["before"] for run in runs] == [None, *(run["id"] for run in runs[:-1])]
    kinds = {run["number"]: [one["what"] for one in run["changes"]] for run in runs}
    assert kinds == {number: ["host", "kernel"] if number == 5 else [] for number in range(1, 10)}
    assert english(runs[4]["changes"][1]["text"]) == "kernel 6.1.0 → 6.1.99"


def test_a_change_of_level_is_shown_with_what_else_changed_there(changed: dict[str, Any]) -> None:
    [point] = line_of(changed)["change_points"]
    assert (point["run"], point["before_from"], point["before_to"], point["verdict"]) == (5, 1, 4, "better")
    assert point["ci_low"] < point["estimate"] < point["ci_high"]
    assert english(point["text"]).startswith("Better from #5 on: requests/s with `reuseport` +")
    assert english(point["text"]).endswith("kernel 6.1.0 → 6.1.99")
    [worse] = [one for one in line_of(changed, metric="latency_p99_us")["change_points"] if one["run"] == 5]
    assert worse["verdict"] == "better"


def test_the_latest_run_is_judged_against_the_level_before_it(changed: dict[str, Any]) -> None:
    latest = changed["latest"]
    assert (latest["run"], latest["sign"]) == (9, "yes")
    assert english(latest["word"]).startswith("Yes: worse in ")
    [said] = [one for one in latest["statements"] if (one["arm"], one["metric"]) == ("reuseport", "requests_per_s")]
    assert said["verdict"] == "worse"
    assert "against #5 to #8" in english(said["text"])
    assert "n = 4 runs, unpaired" in english(said["text"])


def test_few_runs_say_so(backend: Backend) -> None:
    made = lab(backend)
    empty = made.trends()
    assert (empty["runs"], empty["metrics"], empty["latest"], empty["finished"]) == ([], [], None, 0)
    made.run(1000)
    made.run(1004)
    found = made.trends()
    assert english(line_of(found)["none_because"]) == "too few runs: 2 that can be compared; 6 are needed"
    assert (found["latest"]["sign"], english(found["latest"]["word"])) == ("open", "Too few runs")
    assert all("too few runs: 1 before it" in english(one["text"]) for one in found["latest"]["statements"])


def test_runs_that_drift_have_no_change_points_and_the_reason_is_said(backend: Backend) -> None:
    made = lab(backend)
    for step in range(14):
        made.run(1000 * 1.03**step)
    line = line_of(made.trends())
    assert line["change_points"] == []
    assert english(line["none_because"]).startswith("runs drift: those that follow each other resemble each other")


def test_runs_without_means_are_all_drawn_in_the_end(backend: Backend) -> None:
    made = lab(backend)
    ran = [made.run(1000)["id"] for _ in range(4)]

    async def forget(session: AsyncSession) -> None:
        for run_id in ran:
            run = await repository.lock_run(session, UUID(run_id))
            assert run is not None
            run.analysis = {key: value for key, value in (run.analysis or {}).items() if key != "points"}

    backend.operator(forget)
    assert [run["id"] for run in made.complete()["runs"]] == ran


def test_another_load_breaks_the_line_and_another_primary_metric_leaves_a_hole(backend: Backend) -> None:
    made = lab(backend)
    for factor in SCATTER:
        made.run(1000 * factor)
    client = made.person.client
    definition = client.get(f"/experiments/{made.experiment}").raise_for_status().json()["definition"]
    definition["streams"][0]["connections"] = 20
    definition["plan"]["primary"] = ["requests_per_s"]
    saved = client.put(f"/experiments/{made.experiment}/definition", json={"base_version": 1, "definition": definition})
    saved.raise_for_status()
    made.run(1500)
    found = made.trends()
    line = line_of(found)
    assert [point["stretch"] for point in line["points"]] == [0, 0, 0, 0, 1]
    [broken] = line["breaks"]
    assert broken["run"] == 5
    assert "another load: wrk (closed loop) with 20 connections" in english(broken["reason"])
    assert [english(one["text"]) for one in found["runs"][-1]["changes"]] == ["definition version 1 → 2"]
    missing = line_of(found, metric="latency_p99_us")["points"][-1]
    assert (missing["mean"], english(missing["missing"])) == (None, "version 2 has another primary metric")
    assert found["metrics"][0]["name"] == "requests_per_s"
    assert all(one["verdict"] is None for one in found["latest"]["statements"])


def test_runs_without_valid_results_are_listed_and_not_drawn(backend: Backend) -> None:
    made = lab(backend)
    whole, void, old = made.run(1000), made.run(1010), made.run(1020)
    body = {"host_id": str(made.agent.host_id)}
    made.agent.beat()
    ended = made.person.client.post(f"/experiments/{made.experiment}/runs", json=body).raise_for_status().json()
    made.person.client.post(f"/runs/{ended['id']}/cancel").raise_for_status()

    async def spoil(session: AsyncSession) -> None:
        for trial in await repository.trials(session, UUID(void["id"])):
            trial.checks = [_error([str(trial.id)])]
        run = await repository.lock_run(session, UUID(old["id"]))
        assert run is not None
        run.analysis = {key: value for key, value in (run.analysis or {}).items() if key != "points"}

    backend.operator(spoil)
    made.person.client.get(f"/runs/{void['id']}/report").raise_for_status()
    found = made.trends()
    assert [run["id"] for run in found["runs"]] == [whole["id"]]
    reasons = {one["number"]: english(one["reason"]) for one in found["left_out"]}
    assert [one["number"] for one in found["left_out"] if one["is_pending"]] == [old["number"]]
    assert reasons[void["number"]] == "not valid: the generator was saturated, in 9 of 9 trials: it was"
    assert reasons[old["number"]] == "an older ngxlab kept no means of it: they are being computed"
    assert reasons[ended["number"]].startswith("it was cancelled")
    assert [run["id"] for run in made.complete()["runs"]] == [whole["id"], old["id"]]


def _error(trial_ids: list[str]) -> dict[str, Any]:
    return {
        "number": 1,
        "key": "generator-saturated",
        "severity": "error",
        "title": "The generator was saturated",
        "message": "it was",
        "remedy": None,
        "trial_ids": trial_ids,
    }


def test_there_are_no_trends_of_an_experiment_that_there_is_not(backend: Backend) -> None:
    assert backend.person(Role.viewer).client.get(f"/experiments/{uuid4()}/trends").status_code == 404
