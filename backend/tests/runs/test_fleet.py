"""A trial on several hosts: each learns what it must of the others, and all start at one instant."""

from typing import Any

import pytest
from harness import T0_US, Agent, Backend, Coordinator, Person, inventory
from ngxlab.runs.preflight.assignment import beyond, cpus_of_slots
from ngxlab_contracts.hosts import Nic
from ngxlab_contracts.telemetry import EndpointEvent, StreamResult


def _fleet(backend: Backend, person: Person) -> tuple[Agent, Agent, str]:
    """A target and a generator on two hosts, and a run queued on them."""
    target, generator = (
        backend.agent(nics=[Nic(name="eth0", addresses=[address], speed_mbps=1000, mtu=1500)])
        for address in ("10.0.0.1", "10.0.0.2")
    )
    experiment = person.experiment()
    body = {"hosts": {"target": str(target.host_id), "generator": str(generator.host_id)}}
    run = person.client.post(f"/experiments/{experiment['id']}/runs", json=body).raise_for_status().json()
    return target, generator, run["id"]


def _control(agent: Agent, trial_id: str, beyond_revision: int = 0) -> dict[str, Any]:
    params = {"wait_s": 10, "beyond": beyond_revision}
    result: dict[str, Any] = agent.client.get(f"/agent/trials/{trial_id}/control", params=params).json()
    return result


def _announce(agent: Agent, trial_id: str) -> None:
    endpoint = EndpointEvent(t_us=T0_US, name="target", address="10.0.0.1", ports=[8080])
    agent.send(trial_id, 1, events=[agent.phase("preparing"), endpoint, agent.phase("ready")]).raise_for_status()


def test_each_host_gets_its_own_part(backend: Backend) -> None:
    person, coordinator = backend.person(), backend.coordinator()
    target, generator, run_id = _fleet(backend, person)
    trial_id = coordinator.begin(run_id)
    at_target, at_generator = target.claim(trial_id).json(), generator.claim(trial_id).json()
    assert at_target["nginx"]["address"] == "10.0.0.1"
    assert (at_target["streams"], at_target["remote_streams"]) == ([], True)
    assert at_generator["nginx"] is None
    assert [stream["key"] for stream in at_generator["streams"]] == ["wrk"]


def test_a_generator_learns_the_targets_address_and_the_start_waits_for_both(backend: Backend) -> None:
    person, coordinator = backend.person(), backend.coordinator()
    target, generator, run_id = _fleet(backend, person)
    trial_id = coordinator.begin(run_id)
    target.claim(trial_id).raise_for_status()
    generator.claim(trial_id).raise_for_status()
    _announce(target, trial_id)
    known = _control(generator, trial_id)
    assert known["endpoints"] == [{"name": "target", "address": "10.0.0.1", "ports": [8080]}]
    assert coordinator.start(trial_id).json()["code"] == "trial-preparing"
    generator.send(trial_id, 1, events=[generator.phase("preparing"), generator.phase("ready")]).raise_for_status()
    agreed = coordinator.start(trial_id).json()["start_at_us"]
    assert _control(generator, trial_id, known["revision"])["start_at_us"] == agreed
    assert _control(target, trial_id)["start_at_us"] == agreed


def test_the_target_hears_when_all_streams_have_ended(backend: Backend) -> None:
    person, coordinator = backend.person(), backend.coordinator()
    target, generator, run_id = _fleet(backend, person)
    trial_id = _started(coordinator, target, generator, run_id)
    before = _control(target, trial_id)
    assert before["streams_done"] is False
    ended = StreamResult(t_us=T0_US, stream="wrk", exit_code=0, live_requests=1, stub_requests=None, printed=None)
    generator.send(trial_id, 2, events=[generator.phase("warmup"), ended]).raise_for_status()
    assert _control(target, trial_id, before["revision"])["streams_done"] is True


def test_one_host_that_fails_ends_the_trial_for_all(backend: Backend) -> None:
    person, coordinator = backend.person(), backend.coordinator()
    target, generator, run_id = _fleet(backend, person)
    trial_id = _started(coordinator, target, generator, run_id)
    generator.end(trial_id, 2, outcome="failed", code="generator-died")
    assert _control(target, trial_id, 99)["command"] == "discard"
    assert coordinator.next(run_id)["run_state"] == "failed"


def _started(coordinator: Coordinator, target: Agent, generator: Agent, run_id: str) -> str:
    trial_id = coordinator.begin(run_id)
    target.claim(trial_id).raise_for_status()
    generator.claim(trial_id).raise_for_status()
    _announce(target, trial_id)
    generator.send(trial_id, 1, events=[generator.phase("preparing"), generator.phase("ready")]).raise_for_status()
    coordinator.start(trial_id).raise_for_status()
    return trial_id


def test_load_goes_only_to_registered_addresses(backend: Backend) -> None:
    person = backend.person()
    target, generator = backend.agent(), backend.agent()
    experiment = person.experiment()
    hosts = {"target": str(target.host_id), "generator": str(generator.host_id)}
    body = {"hosts": hosts, "addresses": {"target": "192.0.2.1"}}
    answer = person.client.post(f"/experiments/{experiment['id']}/runs", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "addresses.target")


def test_a_run_uses_the_registered_nginx_that_was_chosen(backend: Backend) -> None:
    person, coordinator = backend.person(), backend.coordinator()
    debian = inventory().nginx[0]
    own = debian.model_copy(update={"path": "/opt/nginx/sbin/nginx", "version": "nginx/1.29.0"})
    agent = backend.agent(nginx=[debian, own])
    experiment = person.experiment()
    body = {"host_id": str(agent.host_id), "nginx": {"target": own.path}}
    run = person.client.post(f"/experiments/{experiment['id']}/runs", json=body).raise_for_status().json()
    assert agent.claim(coordinator.begin(run["id"])).json()["nginx"]["binary"] == own.path
    body["nginx"] = {"target": "/tmp/evil"}
    refused = person.client.post(f"/experiments/{experiment['id']}/runs", json=body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "nginx.target")


@pytest.mark.parametrize(
    ("placement", "cpus", "expected"),
    [
        ("auto", 2, {"target": None, "generator": None}),
        ("auto", 8, {"target": "0-3", "generator": "4-7"}),
        ("none", 8, {"target": None, "generator": None}),
        ({"target": "0", "generator": "1"}, 2, {"target": "0", "generator": "1"}),
    ],
)
def test_roles_on_one_host_get_cores_of_their_own_where_there_are_enough(
    placement: Any, cpus: int, expected: dict[str, str | None]
) -> None:
    assert cpus_of_slots(placement, {"target": "a", "generator": "a"}, {"a": cpus}) == expected


def test_roles_on_different_hosts_are_not_pinned() -> None:
    lists = cpus_of_slots("auto", {"target": "a", "generator": "b"}, {"a": 8, "b": 8})
    assert lists == {"target": None, "generator": None}


@pytest.mark.parametrize(("cpu_list", "outside"), [("0-1", False), ("0,2", True), ("1-3", True), ("0", False)])
def test_a_cpu_that_is_not_there_is_noticed(cpu_list: str, *, outside: bool) -> None:
    assert beyond(cpu_list, 2) is outside


def test_a_host_cannot_aim_others_load_elsewhere(backend: Backend) -> None:
    person, coordinator = backend.person(), backend.coordinator()
    target, generator, run_id = _fleet(backend, person)
    trial_id = coordinator.begin(run_id)
    target.claim(trial_id).raise_for_status()
    generator.claim(trial_id).raise_for_status()
    elsewhere = EndpointEvent(t_us=T0_US, name="target", address="198.51.100.7", ports=[443])
    assert target.send(trial_id, 1, events=[elsewhere]).status_code == 403
    assert generator.send(trial_id, 1, events=[elsewhere]).status_code == 403
    assert _control(generator, trial_id, 99)["endpoints"] == []


def test_a_target_announces_as_many_ports_as_it_was_told_to_serve(backend: Backend) -> None:
    person, coordinator, agent = backend.person(), backend.coordinator(), backend.agent()
    definition = person.experiment()["definition"]
    definition |= {"nginx": definition["nginx"] | {"ports": 3}, "template": None}
    body = {"name": "Three ports", "definition": definition}
    made = person.client.post("/experiments", json=body).raise_for_status().json()
    agent.beat()
    started = person.client.post(f"/experiments/{made['id']}/runs", json={"host_id": str(agent.host_id)})
    trial_id = coordinator.begin(started.raise_for_status().json()["id"])
    agent.claim(trial_id).raise_for_status()
    few, all_three = (
        EndpointEvent(t_us=T0_US, name="target", address="127.0.0.1", ports=ports) for ports in ([1], [1, 2, 3])
    )
    assert agent.send(trial_id, 1, events=[few]).status_code == 403
    assert agent.send(trial_id, 1, events=[all_three]).status_code == 200


def test_an_endpoint_is_an_address_and_nothing_else() -> None:
    with pytest.raises(ValueError, match="does not appear to be an IPv4 or IPv6 address"):
        EndpointEvent(t_us=T0_US, name="target", address="127.0.0.1; } server {", ports=[1])
