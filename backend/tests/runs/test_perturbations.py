"""Perturbations over HTTP: planned, refused where the host's owner says so, dispatched, marked live and in history."""

import json
from typing import Any

from definition.definitions import sound
from harness import T0_US, Agent, Backend, Coordinator, Person
from ngxlab_contracts.hosts import HostCaps
from ngxlab_contracts.telemetry import ActionEvent

PLANNED = [
    {"key": "reload", "when": {"kind": "every", "every_s": 0.5}, "action": {"kind": "reload"}},
    {"key": "busy", "when": {"kind": "during", "from_s": 1}, "action": {"kind": "cpu-pressure"}},
]


def _run(person: Person, agent: Agent) -> Any:
    """The answer to starting a run of a perturbed experiment."""
    template = person.client.get(f"/experiments/{person.experiment()['id']}").raise_for_status().json()
    definition = template["definition"] | {"perturbations": PLANNED, "template": None}
    body = {"name": "Perturbed", "definition": definition}
    made = person.client.post("/experiments", json=body).raise_for_status().json()
    agent.beat()
    return person.client.post(f"/experiments/{made['id']}/runs", json={"host_id": str(agent.host_id), "seed": 1})


def _done(number: int, begin_s: float, end_s: float | None, **changes: Any) -> ActionEvent:
    """``begin_s`` and ``end_s`` count from the measured window's beginning."""
    window_us = T0_US + 1_000_000
    return ActionEvent(
        t_us=window_us + round(begin_s * 1e6),
        ended_us=None if end_s is None else window_us + round(end_s * 1e6),
        number=number,
        **({"perturbation": "reload", "action": "reload", "ok": True} | changes),
    )


def _perturbed_trial(agent: Agent, coordinator: Coordinator, run_id: str) -> str:
    """A whole trial: a reload, one that was skipped, and pressure that begins and ends."""
    trial_id = coordinator.begin(run_id)
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id)
    busy = {"perturbation": "busy", "action": "cpu-pressure"}
    first = [_done(1, 0, 0.75, detail="all 4 workers are new"), _done(1, 1, None, **busy)]
    agent.send(trial_id, 6, events=first).raise_for_status()
    second = [_done(2, 0.5, 0.5, ok=False, skipped=True), _done(1, 1, 2, **busy)]
    agent.send(trial_id, 7, events=second).raise_for_status()
    return trial_id


def test_hosts_get_their_perturbations_and_everybody_sees_what_they_did(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    run = _run(person, agent).raise_for_status().json()
    with person.client.stream("GET", f"/runs/{run['id']}/live") as answer:
        lines = answer.iter_lines()
        assert next(lines) == "event: snapshot"
        trial_id = _perturbed_trial(agent, coordinator, run["id"])
        live = _actions(lines, 4)
    spec = agent.claim(trial_id).raise_for_status().json()
    assert [one["key"] for one in spec["perturbations"]] == ["reload", "busy"]
    assert {mark["trial_id"] for mark in live} == {trial_id}

    stored = person.client.get(f"/trials/{trial_id}/series").raise_for_status().json()["actions"]
    latest = {(mark["perturbation"], mark["number"]): mark for mark in live}
    shown = [{name: value for name, value in mark.items() if name in stored[0]} for mark in latest.values()]
    assert sorted(shown, key=lambda mark: mark["t_s"]) == stored
    assert [(mark["perturbation"], mark["t_s"], mark["ended_s"], mark["ok"]) for mark in stored] == [
        ("reload", 0, 0.75, True),
        ("reload", 0.5, 0.5, False),
        ("busy", 1, 2, True),
    ]
    assert {mark["host"] for mark in stored} == {agent.name}

    agent.end(trial_id, seq=8)
    summaries = _summary(person, run["id"], trial_id)
    assert [(one["perturbation"], one["count"], one["skipped"], one["max_s"]) for one in summaries] == [
        ("reload", 2, 1, 0.75),
        ("busy", 1, 0, 1),
    ]


def _actions(lines: Any, count: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in lines:
        if line == "event: action":
            found.append(json.loads(next(lines).removeprefix("data: ")))
            if len(found) == count:
                return found
    raise AssertionError(f"the stream ended after {found}")


def _summary(person: Person, run_id: str, trial_id: str) -> list[dict[str, Any]]:
    report = person.client.get(f"/runs/{run_id}/report").raise_for_status().json()
    (found,) = [one["summary"]["actions"] for one in report["trials"] if one["trial"]["id"] == trial_id]
    return list(found)


def test_a_host_whose_owner_forbids_pressure_refuses_the_run(backend: Backend) -> None:
    answer = _run(backend.person(), backend.agent(caps=HostCaps(allow_pressure=False)))
    assert (answer.status_code, answer.json()["code"]) == (409, "pressure-not-allowed")
    assert "Perturbation busy (cpu-pressure) acts on the whole host" in answer.json()["detail"]


def test_the_designer_shows_when_they_act_in_each_arm(backend: Backend) -> None:
    preview = backend.person().client.post("/experiments/preview", json={"definition": sound()}).json()
    shown = [
        (one["key"], one["slot"], one["action"], one["start_s"], one["end_s"], one["every_s"], one["actions"])
        for one in preview["plan"]["perturbations"]
    ]
    assert shown == [
        ("reload", "target", "reload", 2, 6, 2, 2),
        ("busy", "first", "cpu-pressure", 2, 4, None, 1),
        ("purge", "second", "http", 1.25, 1.25, None, 1),
        ("purge", "second", "http", 2, 2, None, 1),
    ]
    assert [one["arms"] for one in preview["plan"]["perturbations"][2:]] == [
        ["off.low", "threads.low"],
        ["off.high", "threads.high"],
    ]
