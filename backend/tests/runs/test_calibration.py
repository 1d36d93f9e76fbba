"""An arm against itself on a host: it is stored, widens margins, says what a plan finds, and becomes stale."""

import re
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest
from harness import Agent, Backend, Person, english, inventory
from ngxlab.definition.identical import identical_arms, load_key
from ngxlab.definition.schema.definition import Definition
from ngxlab.runs.power.calibrate import against_itself

QUIET = (1000, 1004, 998, 1003, 1001, 996, 1002)
LOUD = (1000, 1100, 960, 1040, 930, 1075, 990)


@pytest.fixture
def person(backend: Backend) -> Person:
    return backend.person()


@pytest.fixture
def agent(backend: Backend) -> Agent:
    return backend.agent()


def drive(backend: Backend, agent: Agent, run_id: str, rates: Iterator[int]) -> None:
    coordinator = backend.coordinator()
    coordinator.lease(run_id).raise_for_status()
    while (step := coordinator.next(run_id))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"], next(rates))


def calibrate(backend: Backend, person: Person, agent: Agent, experiment: Any, rates: tuple[int, ...]) -> Any:
    agent.beat()
    body = {"host_id": str(agent.host_id), "blocks": 3}
    path = f"/experiments/{experiment['id']}/calibrations"
    run = person.client.post(path, json=body).raise_for_status().json()
    drive(backend, agent, run["id"], cycle(rates))
    return report(person, run["id"])


def report(person: Person, run_id: str) -> Any:
    return person.client.get(f"/runs/{run_id}/report").raise_for_status().json()


def power(person: Person, agent: Agent, experiment: Any, **wanted: Any) -> Any:
    body = {"host_id": str(agent.host_id), **wanted}
    return person.client.post(f"/experiments/{experiment['id']}/power", json=body).raise_for_status().json()


def calibrations(person: Person, agent: Agent) -> Any:
    return person.client.get(f"/hosts/{agent.host_id}/calibrations").raise_for_status().json()["items"]


def run_of(backend: Backend, person: Person, agent: Agent, experiment: Any, rates: tuple[int, ...]) -> Any:
    agent.beat()
    path = f"/experiments/{experiment['id']}/runs"
    run = person.client.post(path, json={"host_id": str(agent.host_id), "seed": 1}).raise_for_status().json()
    drive(backend, agent, run["id"], cycle(rates))
    return report(person, run["id"])


def test_a_calibration_is_an_ordinary_run_of_two_identical_arms(backend: Backend, person: Person, agent: Agent) -> None:
    experiment = person.experiment(blocks=3, connections=10, threads=1)
    result = calibrate(backend, person, agent, experiment, LOUD)
    assert result["run"]["experiment_name"] == "A/A: An experiment"
    assert [arm["label"] for arm in result["analysis"]["arms"]] == ["A", "A again"]
    assert result["analysis"]["noise"] == {}, "a calibration takes no margin from itself"
    (kept,) = calibrations(person, agent)
    (noise,) = [one for one in kept["noise"] if one["metric"] == "requests_per_s"]
    assert (kept["run_id"], kept["stale"], kept["template_key"]) == (result["run"]["id"], None, "reuseport")
    assert (noise["blocks"], noise["degrees"]) == (3, 2)
    assert noise["half_width"] > 0.05
    again = calibrate(backend, person, agent, experiment, LOUD)
    assert again["run"]["experiment_id"] == result["run"]["experiment_id"], "the experiment of identical arms is kept"
    assert again["run"]["number"] == 2


def test_what_a_calibration_shows_is_said_in_later_reports_and_changes_no_margin(
    backend: Backend, person: Person, agent: Agent
) -> None:
    experiment = person.experiment(blocks=3, connections=10, threads=1)
    before = run_of(backend, person, agent, experiment, QUIET)
    assert english(before["analysis"]["margin_note"]) == "The margin is 2 %. The host is not calibrated."
    calibrate(backend, person, agent, experiment, LOUD)
    after = run_of(backend, person, agent, experiment, QUIET)
    (kept,) = calibrations(person, agent)
    shown = next(one["half_width"] for one in kept["noise"] if one["metric"] == "requests_per_s")
    assert after["analysis"]["noise"]["requests_per_s"] == shown
    assert after["analysis"]["calibration"]["run_id"] == kept["run_id"]
    assert f"A/A calibration of {kept['taken_at'][:10]} on {agent.name}" in english(after["analysis"]["margin_note"])
    compared = [metric for metric in after["analysis"]["arms"][1]["metrics"] if metric["metric"] == "requests_per_s"]
    assert compared[0]["comparison"]["margin"] == 0.02, "however imprecise a calibration is"
    unchanged = report(person, before["run"]["id"])
    assert unchanged["analysis"]["noise"] == {}, "a verdict does not change by what is measured later"


def test_a_quiet_host_keeps_the_default_margin(backend: Backend, person: Person, agent: Agent) -> None:
    experiment = person.experiment(blocks=3, connections=10, threads=1)
    calibrate(backend, person, agent, experiment, QUIET)
    after = run_of(backend, person, agent, experiment, QUIET)
    compared = [metric for metric in after["analysis"]["arms"][1]["metrics"] if metric["metric"] == "requests_per_s"]
    assert compared[0]["comparison"]["margin"] == 0.02
    said = english(after["analysis"]["margin_note"])
    assert said.startswith("The margin is 2 %. Identical arms differ by chance: requests/s within ±")


def test_a_small_run_learns_its_scatter_from_what_was_known_when_it_was_created(
    backend: Backend, person: Person, agent: Agent
) -> None:
    experiment = person.experiment(blocks=3, connections=10, threads=1)
    first = run_of(backend, person, agent, experiment, QUIET)["analysis"]
    assert first["learned"] == []
    calibrate(backend, person, agent, experiment, QUIET)
    second = run_of(backend, person, agent, experiment, QUIET)
    rate = next(one for one in second["analysis"]["learned"] if one["metric"] == "requests_per_s")
    shown = next(one["deviation"] for one in first["scatter"] if one["metric"] == "requests_per_s")
    assert (rate["runs"], rate["degrees"] > 2) == (2, True), "the earlier run and the calibration"
    assert 0.3 * shown < rate["deviation"] < 3 * shown
    said = english(second["analysis"]["margin_note"])
    assert "So few blocks hardly show the scatter of requests/s: 2 earlier runs count, too." in said
    widths = [interval_of(one) for one in (first, second["analysis"])]
    assert widths[1] < widths[0], "which narrows the interval of the same values"
    run_of(backend, person, agent, experiment, LOUD)
    assert report(person, second["run"]["id"])["analysis"]["learned"] == second["analysis"]["learned"]
    plan = power(person, agent, experiment)
    assert plan["source"] == "calibration"


def interval_of(analysis: Any) -> float:
    (compared, *_) = [one for one in analysis["arms"][1]["metrics"] if one["metric"] == "requests_per_s"]
    return float(compared["comparison"]["ci_high"] - compared["comparison"]["ci_low"])


def test_the_margin_is_what_matters_to_the_experimenter(backend: Backend, person: Person, agent: Agent) -> None:
    experiment = person.experiment(blocks=3, connections=10, threads=1)
    plan = experiment["definition"]["plan"] | {"matters_percent": 7.5}
    body = {"base_version": 1, "definition": experiment["definition"] | {"plan": plan}}
    person.client.put(f"/experiments/{experiment['id']}/definition", json=body).raise_for_status()
    after = run_of(backend, person, agent, experiment, QUIET)
    (compared, *_) = [one for one in after["analysis"]["arms"][1]["metrics"] if one["metric"] == "requests_per_s"]
    assert compared["comparison"]["margin"] == pytest.approx(0.075)
    assert english(after["analysis"]["margin_note"]) == "The margin is 7.5 %. The host is not calibrated."


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kernel": "6.99.0"}, r"the kernel changed from .* to 6\.99\.0 on "),
        ({"memory_bytes": 2**34}, r"the memory changed from .* to 16\.0 GiB on "),
        ({"nginx": []}, r"nginx changed from .* to none on "),
    ],
)
def test_a_changed_host_makes_it_stale_with_the_reason(
    backend: Backend, person: Person, agent: Agent, changes: dict[str, Any], reason: str
) -> None:
    experiment = person.experiment(blocks=3, connections=10, threads=1)
    calibrate(backend, person, agent, experiment, QUIET)
    agent.beat(inventory=inventory(**changes)).raise_for_status()
    (kept,) = calibrations(person, agent)
    assert re.search(reason, kept["stale"])
    plan = power(person, agent, experiment)
    assert (plan["source"], plan["metrics"]) == (None, [])
    assert "is stale, since " in plan["unknown"]
    assert "Calibrate this host again." in plan["text"]


def test_the_plan_says_what_it_finds_and_recommends_blocks(backend: Backend, person: Person, agent: Agent) -> None:
    experiment = person.experiment(blocks=5, connections=10, threads=1)
    unknown = power(person, agent, experiment)
    assert unknown["text"] == "What this plan can find is unknown: calibrate this host."
    calibrate(backend, person, agent, experiment, QUIET)
    known = power(person, agent, experiment, effect_percent=3)
    rate = known["metrics"][0]
    assert (known["source"], known["arms"], known["blocks"], rate["metric"]) == (
        "calibration", 3, 5, "requests_per_s"
    )  # fmt: skip
    assert 0.02 < rate["smallest_effect"] < 0.04
    assert f"5 blocks on {agent.name} show differences of 2." in known["text"]
    assert f"For 3 % in requests/s: {rate['recommended_blocks']} blocks, " in known["text"]
    more = power(person, agent, experiment, blocks=rate["recommended_blocks"])
    fewer = power(person, agent, experiment, blocks=rate["recommended_blocks"] - 1)
    assert more["metrics"][0]["smallest_effect"] <= 0.03
    assert fewer["metrics"][0]["smallest_effect"] is None or fewer["metrics"][0]["smallest_effect"] > 0.03


def test_without_a_calibration_an_earlier_run_says_what_the_plan_finds(
    backend: Backend, person: Person, agent: Agent
) -> None:
    experiment = person.experiment(blocks=3, connections=10, threads=1)
    earlier = run_of(backend, person, agent, experiment, LOUD)
    known = power(person, agent, experiment)
    assert (known["source"], known["source_run_id"]) == ("earlier-run", earlier["run"]["id"])
    assert " By an earlier run of " in known["text"]
    assert calibrations(person, agent) == []


def test_identical_arms_of_an_ordinary_run_are_a_calibration(backend: Backend, person: Person, agent: Agent) -> None:
    definition = person.experiment(blocks=3, connections=10, threads=1)["definition"]
    levels = definition["factors"][0]["levels"]
    levels.append(levels[0] | {"key": "same", "label": "the same again"})
    body = {"name": "With a control", "definition": definition}
    experiment = person.client.post("/experiments", json=body).raise_for_status().json()
    result = run_of(backend, person, agent, experiment, LOUD)
    (kept,) = calibrations(person, agent)
    assert kept["run_id"] == result["run"]["id"]
    assert result["analysis"]["identical"] == kept["noise"]
    assert result["analysis"]["noise"]["requests_per_s"] > 0.05


def test_which_arms_are_identical_is_decided_by_what_is_rendered(person: Person) -> None:
    definition = Definition.model_validate(person.experiment(blocks=3, connections=10, threads=1)["definition"])
    assert identical_arms(definition) == []
    twice = against_itself(definition, definition.baseline, 5)
    assert identical_arms(twice) == ["a", "a2"]
    assert load_key(twice) == load_key(definition)
    longer = definition.model_copy(update={"plan": definition.plan.model_copy(update={"measure_s": 30.0})})
    assert load_key(longer) != load_key(definition)


def test_an_unknown_arm_is_refused(person: Person, agent: Agent) -> None:
    body = {"host_id": str(agent.host_id), "arm": "nobody"}
    answer = person.client.post(f"/experiments/{person.experiment()['id']}/calibrations", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "arm")
