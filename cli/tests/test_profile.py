"""``ngxlab run --profile`` and ``ngxlab profile``, beside a real backend and an agent that follows the protocol."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import T0_US, Agent, Backend, Coordinator
from ngxlab_contracts.profiles import Profile
from services import wait_until
from tests.support.caller import Caller
from tests.support.driving import begin, drive, ended


@pytest.fixture
def agent(lab: Backend) -> Agent:
    return lab.agent()


def profiled(coordinator: Coordinator, agent: Agent, trial_id: str) -> None:
    """A trial that profiles: half of its samples are of one function."""
    told = Profile(
        t_us=T0_US + 3_000_000, hz=99, seconds=2, unwinding="fp", kernel=True, lost=0, unresolved=0,
        frames=["main", "work"], modules=["nginx", "nginx"], parents=[-1, 0], calls=[0, 1], samples=[50, 50],
    )  # fmt: skip
    agent.beat()
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id)
    agent.send(trial_id, 6, events=[told]).raise_for_status()
    agent.end(trial_id, seq=7)


def whole(caller: Caller, lab: Backend, agent: Agent, run_id: str, profile: Callable[[Coordinator, str], None]) -> None:
    """The run to its end, and its profiles once somebody has asked for them."""
    coordinator = lab.coordinator()
    drive(lab, agent, run_id, coordinator=coordinator)

    def asked() -> bool:
        return bool(caller.person.client.get(f"/runs/{run_id}").json()["state"] == "queued")

    wait_until(asked, "profiles being asked for")
    drive(lab, agent, run_id, lambda _, trial_id: profile(coordinator, trial_id), coordinator)


def test_a_run_is_profiled_when_it_is_over_and_its_files_are_written(
    caller: Caller, lab: Backend, agent: Agent, tmp_path: Path
) -> None:
    process, run_id = begin(caller, agent, "--wait", "--json", "--quiet", "--profile")
    whole(caller, lab, agent, run_id, lambda coordinator, trial_id: profiled(coordinator, agent, trial_id))
    code, out, err = ended(process)
    document = json.loads(out)
    assert (code, err, document["run"]["state"]) == (0, "", "completed")
    assert len(document["profiles"]) == len(document["arms"])
    assert {arm["samples"] for arm in document["profiles"]} == {200}

    code, out, err = ended(caller.start("profile", run_id, "--output", str(tmp_path)))
    assert (code, err) == (0, "")
    arms = [arm["arm_key"] for arm in document["profiles"]]
    assert all(arm in out for arm in arms)
    for arm in arms:
        assert (tmp_path / f"{arm}.folded").read_text() == "main 100\nmain;work 100\n"
        assert gzip.decompress((tmp_path / f"{arm}.pb.gz").read_bytes())


def test_a_verdict_stands_where_no_arm_could_be_profiled(caller: Caller, lab: Backend, agent: Agent) -> None:
    process, run_id = begin(caller, agent, "--wait", "--quiet", "--profile")
    whole(caller, lab, agent, run_id, agent.whole_trial)
    code, out, err = ended(process)
    assert (code, err.startswith("warning: no profile: no arm of this run has a profile")) == (0, True)
    assert f"{lab.url}/runs/{run_id}/report" in out


def test_profiles_need_somebody_who_waits(caller: Caller) -> None:
    code, _, err = ended(caller.start("run", "--template", "reuseport", "--profile"))
    assert (code, "--profile needs --wait" in err) == (4, True)
