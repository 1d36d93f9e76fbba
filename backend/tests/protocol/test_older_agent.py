"""An agent of the first version, as it was released, against this backend: a whole run with real nginx and wrk.

``agent-1.0.tar.xz`` holds its code and its messages, closed to unknown fields.
"""

import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import processes
import pytest
from harness import Backend, Person
from ngxlab_contracts.config_test import ConfigTestSpec
from ngxlab_contracts.hosts import EnrolResponse, HeartbeatReply
from ngxlab_contracts.trials import BatchAck, TrialSpec
from services import wait_until

_SAVED = Path(__file__).with_name("agent-1.0.tar.xz")
_TO_AGENTS = (EnrolResponse, HeartbeatReply, TrialSpec, BatchAck, ConfigTestSpec)


@pytest.fixture(scope="module")
def first_version(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders of its code."""
    folder = tmp_path_factory.mktemp("agent-1.0")
    with tarfile.open(_SAVED) as archive:
        archive.extractall(folder)
    return [folder / "worker", folder / "backend" / "contracts"]


def _ended(person: Person, run_id: str) -> bool:
    return person.client.get(f"/runs/{run_id}").json()["state"] in {"completed", "failed"}


def test_an_agent_of_the_first_version_runs_trials(empty_lab: Backend, first_version: list[Path]) -> None:
    person, host = empty_lab.person(), empty_lab.agent()

    def row() -> dict[str, Any]:
        found: dict[str, Any] = person.client.get(f"/hosts/{host.host_id}").json()
        return found

    with processes.coordinator(empty_lab), processes.agent(empty_lab, host, code=first_version):
        wait_until(lambda: row()["inventory"]["hostname"] != "testhost", "the agent's first heartbeat")
        assert (row()["state"], row()["protocol"]) == ("idle", "1.0")
        assert "(protocol 1.0), this server is version" in row()["upgrade"]
        experiment = person.experiment(blocks=1, warmup_s=1, measure_s=1)
        body = {"host_id": str(host.host_id), "seed": 1}
        run = person.client.post(f"/experiments/{experiment['id']}/runs", json=body).raise_for_status().json()
        wait_until(lambda: _ended(person, run["id"]), "the run's end", 300)
    ended = person.client.get(f"/runs/{run['id']}").json()
    assert (ended["state"], ended["state_reason"]) == ("completed", None)
    assert {trial["attempt"] for trial in ended["trials"]} == {1}


def _schemas_of(code: list[Path]) -> dict[str, Any]:
    names = [message.__name__ for message in _TO_AGENTS]
    program = f"""
import json
from ngxlab_contracts import config_test, hosts, trials
found = {{}}
for name in {names!r}:
    message = next(getattr(m, name) for m in (config_test, hosts, trials) if hasattr(m, name))
    found[name] = message.model_json_schema(mode="serialization")
print(json.dumps(found))
"""
    path = ":".join(map(str, code))
    done = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": path}, check=True, capture_output=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("message", _TO_AGENTS)
def test_what_is_new_for_agents_may_be_left_out_and_names_its_version(first_version: list[Path], message: Any) -> None:
    old = _schemas_of(first_version)[message.__name__]
    new = message.model_json_schema(mode="serialization")
    was, now = ({"": schema, **schema.get("$defs", {})} for schema in (old, new))
    for name, schema in now.items():
        if name not in was or "properties" not in schema:
            continue
        before = was[name]["properties"]
        assert set(before) <= set(schema["properties"]), f"{name} has lost a field"
        for field, described in schema["properties"].items():
            if field not in before:
                assert "default" in described, f"{name}.{field} is new and has no default"
                assert "since" in described, f"{name}.{field} is new: see protocol.since"
            else:
                assert described.get("default") == before[field].get("default"), f"the default of {name}.{field}"
