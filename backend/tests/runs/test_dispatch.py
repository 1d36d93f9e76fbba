"""What hosts are told of a trial."""

from typing import Any

import pytest
from harness import Backend
from ngxlab_contracts.hosts import NginxBinary
from ngxlab_contracts.trials import TimingSpec


def timing(backend: Backend, **parameters: Any) -> dict[str, Any]:
    """The first trial of a run of the thread-pools template, as the agent gets it."""
    nginx = NginxBinary(path="/n", version="1", configure_arguments=["--with-threads"], modules=[], sha256="0" * 64)
    person, agent, coordinator = backend.person(), backend.agent(nginx=[nginx]), backend.coordinator()
    body = {"name": "Files", "template_key": "thread-pools", "parameters": {"cold": "no"} | parameters}
    experiment = person.client.post("/experiments", json=body).raise_for_status().json()
    run = person.client.post(f"/experiments/{experiment['id']}/runs", json={"host_id": str(agent.host_id)})
    trial_id = coordinator.begin(run.raise_for_status().json()["id"])
    found: dict[str, Any] = agent.claim(trial_id).raise_for_status().json()["timing"]
    return found


@pytest.mark.parametrize(
    ("parameters", "seconds"),
    [
        ({"files": 1, "file_kib": 1, "hot_kib": 1}, 60),
        ({"files": 65_536, "file_kib": 4096, "hot_kib": 1}, 60 + 65_536 * (4 << 20) / 100e6),
        ({"files": 100_000, "file_kib": 1 << 20, "hot_kib": 1}, 86_400),
    ],
)
def test_hosts_have_time_to_write_the_trials_files(
    backend: Backend, parameters: dict[str, int], seconds: float
) -> None:
    assert timing(backend, **parameters)["start_timeout_s"] == pytest.approx(seconds, rel=1e-3)


def test_each_phase_of_the_plan_is_told_and_counts_in_the_trials_length(backend: Backend) -> None:
    phases = {"warmup_s": 2.0, "measure_s": 3.0, "cooldown_s": 4.0}
    told = TimingSpec.model_validate(timing(backend, **phases))
    assert told.model_dump() == told.model_dump() | phases
    assert told.phases_s == 9.0
