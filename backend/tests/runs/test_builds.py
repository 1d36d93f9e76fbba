"""A run whose arms run different builds of nginx, from the request to the spec that the agent claims."""

from typing import Any

import httpx2
import pytest
from definition.definitions import sound
from harness import Agent, Backend, Coordinator, Person
from ngxlab_contracts.config_test import ConfigTestSpec
from ngxlab_contracts.hosts import NginxBinary

STOCK, TENGINE = "/usr/sbin/nginx", "/opt/tengine/sbin/tengine"


def binary(path: str, version: str, sha256: str) -> NginxBinary:
    return NginxBinary(path=path, version=version, configure_arguments=[], modules=[], sha256=sha256 * 32)


BINARIES = [binary(STOCK, "nginx/1.22.1", "01"), binary(TENGINE, "Tengine/3.2.0", "02")]


def two_builds(*builds: str) -> dict[str, Any]:
    """One factor whose levels run ``builds``."""
    levels = [{"key": f"l{i}", "label": build, "build": build} for i, build in enumerate(builds)]
    raw = sound() | {
        "factors": [{"key": "build", "label": "Build", "levels": levels}],
        "baseline": "l0",
        "design": {"kind": "matrix"},
        "upstream_servers": [],
        "perturbations": [],
        "streams": [{"key": "wrk", "connections": 4}],
        "thresholds": [],
        "placement": "auto",
    }
    raw["plan"] = {"blocks": 1, "warmup_s": 0, "measure_s": 2, "cooldown_s": 0}
    raw["nginx"] = {"workers": 1, "worker_connections": 64, "server": "location / { return 200; }"}
    return raw


class Bench:
    """A person, and a host with two builds."""

    def __init__(self, backend: Backend) -> None:
        self.person: Person = backend.person()
        self.agent: Agent = backend.agent(nginx=BINARIES)
        self.coordinator: Coordinator = backend.coordinator()

    def experiment(self, *builds: str) -> str:
        body = {"name": "Two builds", "definition": two_builds(*builds)}
        made: str = self.person.client.post("/experiments", json=body).raise_for_status().json()["id"]
        return made

    def start(self, experiment: str, nginx: dict[str, str] | None = None) -> httpx2.Response:
        body = {"host_id": str(self.agent.host_id), "seed": 1, "nginx": nginx or {}}
        return self.person.client.post(f"/experiments/{experiment}/runs", json=body)

    def binaries(self, run_id: str) -> dict[str, str]:
        """Arm -> the binary that its agent was told to run."""
        told: dict[str, str] = {}
        for _ in range(2):
            trial_id = self.coordinator.begin(run_id)
            spec = self.agent.claim(trial_id).raise_for_status().json()
            told[spec["arm"]] = spec["nginx"]["binary"]
            self.agent.whole_trial(self.coordinator, trial_id)
        return told


@pytest.fixture
def bench(backend: Backend) -> Bench:
    return Bench(backend)


def test_each_arm_runs_its_own_build_and_the_report_says_which(bench: Bench) -> None:
    run = bench.start(bench.experiment("nginx-1.22.1", "tengine")).raise_for_status().json()
    assert bench.binaries(run["id"]) == {"l0": STOCK, "l1": TENGINE}
    report = bench.person.client.get(f"/runs/{run['id']}/report").raise_for_status().json()
    built = {arm["key"]: arm["nginx_build"] for arm in report["analysis"]["arms"]}
    assert (built["l0"]["version"], built["l0"]["path"]) == ("nginx/1.22.1", STOCK)
    assert (built["l1"]["version"], built["l1"]["sha256"]) == ("Tengine/3.2.0", "02" * 32)
    environment = next(one for one in report["analysis"]["checks"]["results"] if one["key"] == "environment")
    assert environment["severity"] == "pass"


def test_a_run_binds_a_build_to_another_binary_and_remembers_it(bench: Bench) -> None:
    run = bench.start(bench.experiment("a", "b"), {"a": "tengine", "b": STOCK}).raise_for_status().json()
    assert bench.binaries(run["id"]) == {"l0": TENGINE, "l1": STOCK}


def test_a_build_that_the_host_has_not_is_refused_with_what_it_has(bench: Bench) -> None:
    refused = bench.start(bench.experiment("nginx", "angie"), {"angle": "nginx"})
    assert refused.status_code == 422
    messages = {error["field"]: error["message"] for error in refused.json()["errors"]}
    assert "nginx-1.22.1 (/usr/sbin/nginx), tengine-3.2.0 (/opt/tengine/sbin/tengine)" in messages["nginx.angie"]
    assert "no such slot or build; it has target, generator, nginx, angie" in messages["nginx.angle"]


def test_a_slot_runs_the_binary_of_the_chosen_name(bench: Bench) -> None:
    plain = two_builds("tengine", "tengine")
    plain["factors"][0]["levels"][1]["build"] = None
    body = {"name": "A slot", "definition": plain}
    experiment = bench.person.client.post("/experiments", json=body).raise_for_status().json()["id"]
    run = bench.start(experiment, {"tengine": STOCK, "target": "tengine-3.2.0"}).raise_for_status().json()
    assert bench.binaries(run["id"]) == {"l0": STOCK, "l1": TENGINE}


def test_a_configuration_test_asks_each_arms_own_build(bench: Bench) -> None:
    body = {
        "host_id": str(bench.agent.host_id),
        "definition": two_builds("a", "tengine"),
        "nginx": {"a": "nginx-1.22.1"},
    }
    bench.agent.beat()
    asked = bench.person.client.post("/experiments/config-tests", json=body).raise_for_status().json()
    spec = ConfigTestSpec.model_validate(bench.agent.client.get(f"/agent/config-tests/{asked['id']}").json())
    assert {arm.arm: arm.nginx.binary for arm in spec.arms} == {"l0": STOCK, "l1": TENGINE}
    verdicts: list[dict[str, Any]] = [{"arm": arm, "accepted": True, "findings": []} for arm in ("l0", "l1")]
    bench.agent.client.post(f"/agent/config-tests/{asked['id']}", json={"verdicts": verdicts}).raise_for_status()
    result = bench.person.client.get(f"/experiments/config-tests/{asked['id']}").json()
    assert [arm["nginx"] for arm in result["arms"]] == [STOCK, TENGINE]
    missing = bench.person.client.post("/experiments/config-tests", json=body | {"nginx": {}})
    assert (missing.status_code, missing.json()["errors"][0]["field"]) == (422, "nginx.a")


def test_an_arm_of_a_build_is_calibrated_on_that_build(bench: Bench) -> None:
    experiment = bench.experiment("a", "b")
    bench.agent.beat()
    body = {"host_id": str(bench.agent.host_id), "nginx": {"a": STOCK, "b": "tengine"}, "arm": "l1", "blocks": 2}
    run = bench.person.client.post(f"/experiments/{experiment}/calibrations", json=body).raise_for_status().json()
    assert set(bench.binaries(run["id"]).values()) == {TENGINE}


def test_hosts_name_their_builds(bench: Bench) -> None:
    host = bench.person.client.get(f"/hosts/{bench.agent.host_id}").raise_for_status().json()
    assert [(one["name"], one["path"]) for one in host["nginx"]] == [
        ("nginx-1.22.1", STOCK),
        ("tengine-3.2.0", TENGINE),
    ]
