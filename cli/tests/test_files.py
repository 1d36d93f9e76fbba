"""Experiments as files: out of the server, checked, run, and judged by their thresholds."""

import json
import re
from pathlib import Path

import pytest
from harness import Agent, Backend
from tests.support.caller import Caller
from tests.support.driving import SHORT, drive


@pytest.fixture
def agent(lab: Backend) -> Agent:
    return lab.agent()


@pytest.fixture
def exported(caller: Caller, tmp_path: Path) -> Path:
    """A short experiment as YAML."""
    experiment = caller.person.experiment()
    answer = caller.ngxlab("export", experiment["id"])
    assert answer.returncode == 0, answer.stderr
    path = tmp_path / "experiment.yaml"
    path.write_text(answer.stdout)
    return path


def with_thresholds(path: Path, *thresholds: str) -> Path:
    lines = ["thresholds:", *(f"- {text}" for text in thresholds)]
    # As many connections as the agent opens, and blocks enough for an interval.
    text = re.sub(r"\bconnections: \d+", "connections: 10", path.read_text()).replace("blocks: 1", "blocks: 2")
    path.write_text(text.rstrip("\n") + "\n" + "\n".join(lines) + "\n")
    return path


def judge(caller: Caller, lab: Backend, agent: Agent, path: Path) -> tuple[int, str]:
    """Run the file to its end; the exit code of waiting for it, and what was printed."""
    begun = caller.ngxlab("run", str(path), "--host", agent.name)
    assert begun.returncode == 0, begun.stderr
    drive(lab, agent, begun.stdout.strip())
    waited = caller.ngxlab("wait", begun.stdout.strip())
    return waited.returncode, waited.stdout


def test_a_sound_file(caller: Caller, exported: Path) -> None:
    answer = caller.ngxlab("validate", str(exported))
    assert answer.returncode == 0, answer.stderr
    assert "3 arms, slots: target, generator" in answer.stdout
    assert "3 trials in about 0:0" in answer.stdout
    assert len(json.loads(caller.ngxlab("validate", str(exported), "--json").stdout)["arms"]) == 3


def test_thresholds_that_are_met(caller: Caller, lab: Backend, agent: Agent, exported: Path) -> None:
    code, out = judge(caller, lab, agent, with_thresholds(exported, "requests_per_s > 900"))
    assert code == 0, out
    assert out.count("pass  requests_per_s > 900") == 3


def test_thresholds_that_are_not_met(caller: Caller, lab: Backend, agent: Agent, exported: Path) -> None:
    code, out = judge(caller, lab, agent, with_thresholds(exported, "requests_per_s > 900", "requests_per_s > 2000"))
    assert code == 1
    assert (out.count("pass  requests_per_s > 900"), out.count("FAIL  requests_per_s > 2000")) == (3, 3)


def test_problems_of_a_file_name_their_fields(caller: Caller, exported: Path) -> None:
    exported.write_text(exported.read_text().replace("measure_s: 2", "measure_s: -2").replace("blocks: 1", "blocks: 0"))
    for command in ("validate", "run"):
        answer = caller.ngxlab(command, str(exported))
        assert answer.returncode == 4
        assert answer.stdout == ""
        assert "  plan.measure_s" in answer.stderr
        assert "  plan.blocks" in answer.stderr
    problems = json.loads(caller.ngxlab("validate", str(exported), "--json").stdout)["problems"]
    assert {"plan.measure_s", "plan.blocks"} <= {problem["field"] for problem in problems}


def test_what_is_no_yaml(caller: Caller, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("a: [1,\nb: 2\n")
    answer = caller.ngxlab("validate", str(path))
    assert answer.returncode == 4
    assert "line" in answer.stderr


def test_slots_without_hosts_are_named_before_anything_is_saved(caller: Caller, agent: Agent, exported: Path) -> None:
    def saved() -> int:
        total: int = caller.person.client.get("/experiments").json()["total"]
        return total

    before = saved()
    answer = caller.ngxlab("run", str(exported), "--host", f"target={agent.name}", "--host", f"king={agent.name}")
    assert answer.returncode == 4
    assert "--host generator: choose a host for it" in answer.stderr
    assert "--host king: this experiment has no such slot; it has target, generator" in answer.stderr
    assert saved() == before


def test_a_host_that_cannot_carry_it_is_refused_and_the_experiment_kept(caller: Caller, lab: Backend) -> None:
    small = lab.agent(limits={"nofile_hard": "200"})
    answer = caller.ngxlab("run", "--template", "reuseport", *SHORT, "--set", "connections=1000", "--host", small.name)
    assert answer.returncode == 4
    assert "At most 116 connections fit" in answer.stderr
    assert "ngxlab run --experiment" in answer.stderr
