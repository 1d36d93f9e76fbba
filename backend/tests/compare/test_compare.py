"""GET /compare: two finished runs of one experiment, and what a reader is told of them."""

from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest
from finished_runs import Rates, finished_run, next_version
from harness import Agent, Backend, Person, english
from ngxlab.accounts.models import Role
from ngxlab.analysis.schemas import CheckResult, MetricGroup
from ngxlab.runs import repository
from ngxlab_contracts.sentences import fixed
from sqlalchemy.ext.asyncio import AsyncSession


class Runs(NamedTuple):
    person: Person
    agent: Agent
    slow: dict[str, Any]
    fast: dict[str, Any]

    def compare(self, *runs: dict[str, Any], **query: Any) -> dict[str, Any]:
        chosen = [run["id"] for run in runs or (self.slow, self.fast)]
        answer = self.person.client.get("/compare", params={"runs": chosen, **query})
        found: dict[str, Any] = answer.raise_for_status().json()
        return found


ARMS = ("mutex-on", "mutex-off", "reuseport")


def rates(rate: float, blocks: int = 3) -> Rates:
    return {
        arm: [rate * (1 + 0.002 * (3 * block + place) % 0.007) for block in range(blocks)]
        for place, arm in enumerate(ARMS)
    }


@pytest.fixture(scope="module")
def runs(backend: Backend) -> Runs:
    """The last run, of the next version, has a third more requests/s in all arms than three runs of the first version.

    Trials differ a little, so that there is an interval.
    """
    person, agent = backend.person(Role.experimenter), backend.agent()
    experiment = person.experiment(blocks=3)
    slow, *_ = [finished_run(backend, person, agent, experiment["id"], rates(rate)) for rate in (1000, 1001, 999)]
    next_version(person, experiment)
    return Runs(person, agent, slow, finished_run(backend, person, agent, experiment["id"], rates(1330)))


def test_each_arm_is_compared_with_the_same_arm_of_the_first_run(runs: Runs) -> None:
    found = runs.compare()
    against = {arm["key"]: arm["against"] for arm in found["arms"] if arm["against"]}
    keys = [arm["key"] for arm in runs.slow["arms"]]
    assert against == {f"{runs.fast['id']}:{key}": f"{runs.slow['id']}:{key}" for key in keys}
    assert found["baseline"] == runs.slow["id"]
    [rate] = [one for one in found["analysis"]["answers"] if one["metric"] == "requests_per_s"]
    assert (rate["sign"], english(rate["word"])) == ("yes", "Yes")
    assert english(rate["text"]).startswith("`accept_mutex on` +33 %, `accept_mutex off` +33 %")
    said = [one for one in found["analysis"]["statements"] if one["metric"] == "requests_per_s"]
    assert len(said) == len(keys)
    assert all(one["verdict"] == "better" and "n = 3 and 3 trials, unpaired" in english(one["text"]) for one in said)
    assert "`#4, reuseport` served 33 % more requests/s than `#1, reuseport`" in " ".join(
        english(one["text"]) for one in said
    )
    assert found["outcome"] == "pass"
    assert any("it is known from runs that measured the same thing" in english(note) for note in found["notes"])


def test_one_run_each_is_not_told_apart(backend: Backend) -> None:
    person, agent = backend.person(Role.experimenter), backend.agent()
    experiment = person.experiment(blocks=3)
    slow = finished_run(backend, person, agent, experiment["id"], rates(1000))
    next_version(person, experiment)
    runs = Runs(person, agent, slow, finished_run(backend, person, agent, experiment["id"], rates(1330)))
    found = runs.compare()
    assert {one["verdict"] for one in found["analysis"]["statements"]} == {"undecided"}
    assert all("one run each: how much runs" in english(one["text"]) for one in found["analysis"]["statements"])
    assert any("repeat a run until there are three" in english(note) for note in found["notes"])
    assert found["outcome"] == "undecided"


def test_the_older_run_is_the_baseline_in_whatever_order_they_are_asked_for(runs: Runs) -> None:
    assert runs.compare(runs.fast, runs.slow)["baseline"] == runs.slow["id"]
    assert runs.compare(runs.fast, runs.slow, baseline=runs.fast["id"])["baseline"] == runs.fast["id"]


def with_checks(backend: Backend, run: dict[str, Any], checks: list[CheckResult]) -> None:
    async def put(session: AsyncSession) -> None:
        for trial in await repository.trials(session, UUID(run["id"])):
            of_trial = [one.model_copy(update={"trial_ids": [trial.id]}) for one in checks]
            trial.checks = [one.model_dump(mode="json") for one in of_trial]

    backend.operator(put)


@pytest.mark.parametrize(("key", "void"), [("noisy-host", set()), ("generator-saturated", {"throughput", "latency"})])
def test_a_run_that_was_disturbed_is_not_told_apart_from_another(
    backend: Backend, runs: Runs, key: str, void: set[MetricGroup]
) -> None:
    warning = CheckResult(
        number=0, key=key, severity="warning", title="Something ran", message=fixed("as a test says"),
        remedy=None, trial_ids=[], voids=sorted(void),
    )  # fmt: skip
    with_checks(backend, runs.fast, [warning])
    disturbed = runs.compare()
    with_checks(backend, runs.fast, [])
    rates_of = [[one for one in found["analysis"]["statements"] if one["metric"] == "requests_per_s"]
                for found in (disturbed, runs.compare())]  # fmt: skip
    assert {one["verdict"] for one in rates_of[0]} == {"undecided"}
    assert all(": as a test says)." in english(one["text"]) for one in rates_of[0])
    assert disturbed["outcome"] == "undecided"
    assert {one["verdict"] for one in rates_of[1]} == {"better"}


def test_two_arms_of_one_run_stay_paired(runs: Runs) -> None:
    first, second = (f"{runs.fast['id']}:{arm['key']}" for arm in runs.fast["arms"][:2])
    found = runs.compare(baseline=first, arms=[second])
    [arm] = [arm for arm in found["arms"] if arm["against"]]
    assert (arm["key"], arm["against"], arm["paired"], arm["beside"]) == (second, first, True, [])
    assert "unpaired" not in " ".join(english(one["text"]) for one in found["analysis"]["statements"])
    assert [one["role"] for one in found["differences"] if one["key"] == "configuration"] == ["factor"]
    [diff] = [one for one in found["diffs"] if one["what"] == "configuration"]
    assert "+    accept_mutex off;" in diff["text"]


def test_another_host_is_the_factor_or_a_confounder_as_the_reader_says(backend: Backend, runs: Runs) -> None:
    agent = backend.agent(kernel="6.1.99")
    other = finished_run(backend, runs.person, agent, runs.slow["experiment_id"], rates(1003))
    roles = {one["key"]: one["role"] for one in runs.compare(runs.slow, other)["differences"]}
    assert roles["host"] == "factor"
    assert roles["kernel"] == "confounder"
    asked = runs.compare(runs.slow, other, factor=["kernel"])
    roles = {one["key"]: one["role"] for one in asked["differences"]}
    assert (roles["kernel"], roles["host"]) == ("factor", "confounder")
    [values] = [one["values"] for one in asked["differences"] if one["key"] == "kernel"]
    assert set(values.values()) == {"6.1.0", "6.1.99"}
    assert all(" Also different: Host" in english(one["text"]) for one in asked["analysis"]["statements"])


def test_another_load_and_a_run_that_goes_on_are_not_compared(backend: Backend, runs: Runs) -> None:
    waiting = runs.person.run(runs.agent, connections=20, threads=1)
    found = runs.compare(runs.slow, waiting)
    refused = {english(arm["refused"]) for arm in found["arms"] if arm["against"]}
    assert refused == {"it is queued: runs are compared when they are over"}
    assert found["outcome"] == "not_valid"
    runs.person.client.post(f"/runs/{waiting['id']}/cancel").raise_for_status()
    refused = {english(arm["refused"]) for arm in runs.compare(runs.slow, waiting)["arms"] if arm["against"]}
    assert refused == {"none of its trials is usable"}
    assert found["analysis"]["statements"] == []


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"runs": []}, 422),
        ({"runs": ["one"]}, 422),
        ({"runs": ["slow", "slow"]}, 422),
        ({"runs": ["slow", str(uuid4())]}, 404),
        ({"runs": ["slow", "fast"], "arms": ["nothing"]}, 422),
        ({"runs": ["slow", "fast"], "baseline": "nothing"}, 422),
    ],
)
def test_what_cannot_be_asked(runs: Runs, query: dict[str, Any], status: int) -> None:
    ids = {"slow": runs.slow["id"], "fast": runs.fast["id"]}
    asked = {**query, "runs": [ids.get(run, run) for run in query["runs"]]}
    assert runs.person.client.get("/compare", params=asked).status_code == status


def test_nobody_compares_without_an_account(backend: Backend, runs: Runs) -> None:
    asked = {"runs": [runs.slow["id"], runs.fast["id"]]}
    assert backend.client().get("/compare", params=asked).status_code == 401
