"""``ngxlab run`` down to its exit codes: a real backend, an agent and a coordinator that follow the protocol."""

import json
import re
import signal
from pathlib import Path

import pytest
from harness import T0_US, Agent, Backend
from ngxlab_cli import client
from ngxlab_cli.access import Access
from ngxlab_contracts.telemetry import EngineTotals, StreamResult
from services import wait_until
from tests.support.caller import Caller
from tests.support.driving import SHORT, begin, drive, ended, fail, read_until


@pytest.fixture
def agent(lab: Backend) -> Agent:
    return lab.agent()


def test_a_run_that_completes(caller: Caller, lab: Backend, agent: Agent) -> None:
    process, run_id = begin(caller, agent, "--wait", "--seed", "7", "--note", "from a test")
    drive(lab, agent, run_id)
    code, out, err = ended(process)
    assert code == 0, err
    assert f"{lab.url}/runs/{run_id}/report" in out
    assert re.search(r"^reuseport .* 1,000", out, re.MULTILINE), out
    assert re.search(r"^completed · 3/3 trials", err, re.MULTILINE), err
    assert f"{lab.url}/runs/{run_id}\n" in err
    run = caller.person.client.get(f"/runs/{run_id}").json()
    assert (run["seed"], run["note"]) == (7, "from a test")


def test_machine_readable_output_is_all_of_standard_output(caller: Caller, lab: Backend, agent: Agent) -> None:
    process, run_id = begin(caller, agent, "--wait", "--json", "--quiet")
    drive(lab, agent, run_id)
    code, out, err = ended(process)
    assert err == ""
    document = json.loads(out)
    assert (code, document["exit_code"]) == (0, 0)
    assert (document["run"]["id"], document["run"]["state"]) == (run_id, "completed")
    assert document["run"]["report_url"] == f"{lab.url}/runs/{run_id}/report"
    rates = [metric["mean"] for arm in document["arms"] for metric in arm["metrics"][:1]]
    assert rates == pytest.approx([1000.0] * 3)
    assert document["thresholds"] == []


def test_a_run_that_fails(caller: Caller, lab: Backend, agent: Agent) -> None:
    process, run_id = begin(caller, agent, "--wait")
    drive(lab, agent, run_id, fail)
    code, out, _ = ended(process)
    assert code == 5
    assert "Reason as told." in out


def test_a_run_that_asks_whether_to_go_on_has_nobody_to_ask(caller: Caller, lab: Backend, agent: Agent) -> None:
    process, run_id = begin(caller, agent, "--wait")
    coordinator = lab.coordinator()
    trial_id = coordinator.begin(run_id)
    (stream,) = agent.claim(trial_id).raise_for_status().json()["streams"]
    agent.beat()
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id)
    totals = EngineTotals(sent=9, completed=9, connects=1, reconnects=0, bytes_read=9, processes=1, errors_status=9)
    counts = {"live_requests": 9, "stub_requests": 9, "printed": None, "totals": totals}
    failed = StreamResult(t_us=T0_US, stream=stream["key"], exit_code=0, **counts)
    agent.send(trial_id, 6, events=[failed]).raise_for_status()
    agent.end(trial_id, seq=7)
    assert coordinator.next(run_id)["run_state"] == "paused"
    wait_until(lambda: cancel_requested(caller, run_id), "the cancellation reaching the server")
    assert coordinator.next(run_id)["run_state"] == "cancelled"
    code, _, err = ended(process)
    assert code == 5
    assert "9 of 9 responses had an unexpected status" in err
    assert "nobody is at a terminal to answer" in err


def test_ctrl_c_cancels_the_run(caller: Caller, lab: Backend, agent: Agent) -> None:
    process, run_id = begin(caller, agent, "--wait", "--json")
    coordinator = lab.coordinator()
    trial_id = coordinator.begin(run_id)
    agent.prepare(trial_id)
    wait_until(lambda: read_until(process, "block 1"), "the trial being shown")
    process.send_signal(signal.SIGINT)
    wait_until(lambda: cancel_requested(caller, run_id), "the cancellation reaching the server")
    assert process.poll() is None, "it waits until the run is over"
    agent.end(trial_id, 2, outcome="cancelled", code="cancelled")
    assert coordinator.next(run_id)["kind"] == "finished"
    code, out, err = ended(process)
    assert (code, json.loads(out)["run"]["state"]) == (5, "cancelled")
    assert "asking the server to cancel the run" in err


def test_a_second_ctrl_c_leaves(caller: Caller, lab: Backend, agent: Agent) -> None:
    process, run_id = begin(caller, agent, "--wait")
    agent.prepare(lab.coordinator().begin(run_id))
    wait_until(lambda: read_until(process, "block 1"), "the trial being shown")
    process.send_signal(signal.SIGINT)
    wait_until(lambda: cancel_requested(caller, run_id), "the cancellation reaching the server")
    process.send_signal(signal.SIGINT)
    code, _, err = ended(process)
    assert code == 5
    assert f"ngxlab wait {run_id}" in err


def test_without_wait_it_prints_the_id_and_wait_judges_it_later(caller: Caller, lab: Backend, agent: Agent) -> None:
    begun = caller.ngxlab(
        "run", "--template", "reuseport", *SHORT, "--host", f"target={agent.name}", "--host", agent.name
    )
    assert begun.returncode == 0, begun.stderr
    run_id = begun.stdout.strip()
    assert f"ngxlab wait {run_id}" in begun.stderr
    drive(lab, agent, run_id)
    assert caller.ngxlab("wait", run_id, "--quiet").returncode == 0
    report = caller.ngxlab("report", run_id, "--share", "--json")
    assert "/shared/" in json.loads(report.stdout)["share_url"]
    listed = caller.ngxlab("runs", "--json")
    assert run_id in [run["id"] for run in json.loads(listed.stdout)["runs"]]
    assert run_id in caller.ngxlab("runs").stdout


def test_what_the_plan_finds_is_said_before_the_run_starts(caller: Caller, agent: Agent) -> None:
    begun = caller.ngxlab("run", "--template", "reuseport", *SHORT, "--host", agent.name)
    assert begun.returncode == 0, begun.stderr
    assert begun.stderr.startswith("What this plan can find is unknown: calibrate this host.\n")
    before = len(caller.person.client.get("/runs").json()["items"])
    saved = experiments(caller)
    plan = caller.ngxlab("run", "--template", "reuseport", *SHORT, "--host", agent.name, "--plan", "--json")
    assert json.loads(plan.stdout)["power"]["unknown"] == "calibrate this host."
    assert len(caller.person.client.get("/runs").json()["items"]) == before
    assert experiments(caller) == saved


def test_a_plan_from_a_file_saves_nothing_and_names_its_mistakes(caller: Caller, agent: Agent, tmp_path: Path) -> None:
    begun = caller.ngxlab("run", "--template", "reuseport", *SHORT, "--host", agent.name, "--json")
    experiment = json.loads(begun.stdout)["run"]["experiment_id"]
    document = caller.person.client.get(f"/experiments/{experiment}/versions/1.yaml").text
    path, saved = tmp_path / "experiment.yaml", experiments(caller)
    path.write_text(document)
    plan = caller.ngxlab("run", str(path), "--host", agent.name, "--plan", "--effect", "3")
    assert (plan.returncode, plan.stdout) == (0, "What this plan can find is unknown: calibrate this host.\n")
    path.write_text(document.replace("baseline:", "baseline: nobody #"))
    assert caller.ngxlab("run", str(path), "--host", agent.name, "--plan").returncode == 4
    wrong = caller.ngxlab("run", "--template", "reuseport", "--set", "connections=1", "--host", agent.name, "--plan")
    assert (wrong.returncode, "must be at least 2" in wrong.stderr) == (4, True)
    assert experiments(caller) == saved


def test_a_calibration_is_started_and_waited_for_as_a_run(caller: Caller, lab: Backend, agent: Agent) -> None:
    begun = caller.ngxlab("calibrate", "--template", "reuseport", *SHORT, "--host", agent.name, "--blocks", "2")
    assert begun.returncode == 0, begun.stderr
    run_id = begun.stdout.strip()
    drive(lab, agent, run_id)
    waited = caller.ngxlab("wait", run_id, "--quiet")
    assert waited.returncode == 0, waited.stderr
    assert re.search(r"^A again ", waited.stdout, re.MULTILINE), waited.stdout
    refused = caller.ngxlab("calibrate", "--template", "reuseport", *SHORT, "--host", agent.name, "--arm", "nobody")
    assert (refused.returncode, "no arm 'nobody'" in refused.stderr) == (4, True)


def test_cancelling_a_queued_run(caller: Caller, agent: Agent) -> None:
    begun = caller.ngxlab("run", "--template", "reuseport", *SHORT, "--host", agent.name, "--json")
    run_id = json.loads(begun.stdout)["run"]["id"]
    cancelled = caller.ngxlab("cancel", run_id)
    assert (cancelled.returncode, "the run is cancelled" in cancelled.stdout) == (0, True)
    assert caller.ngxlab("wait", run_id).returncode == 5


def test_a_run_is_starred_and_deleted(caller: Caller, agent: Agent) -> None:
    begun = caller.ngxlab("run", "--template", "reuseport", *SHORT, "--host", agent.name, "--json")
    run_id = json.loads(begun.stdout)["run"]["id"]
    starred = caller.ngxlab("star", run_id, "--json")
    assert json.loads(starred.stdout)["run"] == {"id": run_id, "starred": True}
    assert caller.person.client.get(f"/runs/{run_id}").json()["starred"] is True
    refused = caller.ngxlab("delete", run_id)
    assert (refused.returncode, "The run is queued. Cancel it first" in refused.stderr) == (4, True)
    caller.ngxlab("cancel", run_id)
    caller.person.client.post(f"/runs/{run_id}/shares", json={}).raise_for_status()
    assert "A link shows it" in caller.ngxlab("delete", run_id).stderr
    deleted = caller.ngxlab("delete", run_id, "--end-links")
    assert (deleted.returncode, deleted.stdout) == (0, f"run {run_id}: deleted\n")
    assert caller.person.client.get(f"/runs/{run_id}").status_code == 404


def test_a_run_is_tagged_and_found_by_its_tags(caller: Caller, agent: Agent) -> None:
    begun = caller.ngxlab("run", "--template", "reuseport", *SHORT, "--host", agent.name, "--json")
    run_id = json.loads(begun.stdout)["run"]["id"]
    assert caller.ngxlab("tag", run_id).stdout == f"run {run_id}: no tags\n"
    caller.ngxlab("tag", run_id, "+home", "+Kernel-6.12")
    tagged = caller.ngxlab("tag", run_id, "-home", "+nightly", "--json")
    assert json.loads(tagged.stdout)["run"] == {"id": run_id, "tags": ["kernel-6.12", "nightly"]}
    found = caller.ngxlab("runs", "--tag", "nightly", "--tag", "kernel-6.12")
    assert re.search(rf" kernel-6.12, nightly +{run_id}$", found.stdout, re.MULTILINE), found.stdout
    assert run_id not in caller.ngxlab("runs", "--tag", "home").stdout
    refused = caller.ngxlab("tag", run_id, "+two words")
    assert (refused.returncode, "add.0" in refused.stderr) == (4, True)
    caller.ngxlab("cancel", run_id)


def test_notes_are_written_and_shown(caller: Caller, agent: Agent) -> None:
    begun = caller.ngxlab("run", "--template", "reuseport", *SHORT, "--host", agent.name, "--json")
    run_id = json.loads(begun.stdout)["run"]["id"]
    assert caller.ngxlab("note", run_id).stdout == f"run {run_id}: no notes\n"
    assert caller.ngxlab("note", run_id, "A **backup** ran.").stdout == f"run {run_id}: note added\n"
    trial = caller.person.client.get(f"/runs/{run_id}").json()["trials"][0]["id"]
    added = caller.ngxlab("note", run_id, "The dip.", "--trial", trial, "--at", "0.5", "--json")
    assert json.loads(added.stdout)["run"]["note"]["t_s"] == 0.5
    shown = caller.ngxlab("note", run_id).stdout
    assert re.search(rf"{caller.person.email}, .* UTC:\nA \*\*backup\*\* ran\.\n\n.* at 0\.5 s:\nThe dip\.", shown), (
        shown
    )
    refused = caller.ngxlab("note", run_id, "x", "--at", "1")
    assert (refused.returncode, "name it as trial_id" in refused.stderr) == (4, True)
    caller.ngxlab("cancel", run_id)


def test_all_hosts_are_listed_however_many_pages_they_fill(
    caller: Caller, lab: Backend, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PAGE_ITEMS", 1)
    others = [lab.agent() for _ in range(2)]
    access = Access(caller.environment["NGXLAB_URL"], caller.environment["NGXLAB_TOKEN"])
    with client.LabClient(access) as asking:
        found = {host.id for host in asking.hosts()}
    assert {agent.host_id, *(other.host_id for other in others)} <= found


def test_hosts_are_listed(caller: Caller, agent: Agent) -> None:
    assert re.search(rf"^{agent.name} +idle +2 +8.0 GiB", caller.ngxlab("hosts").stdout, re.MULTILINE)
    hosts = json.loads(caller.ngxlab("hosts", "--json").stdout)["hosts"]
    assert str(agent.host_id) in [host["id"] for host in hosts]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--template", "reuseport", "--set", "connections=1"], r"parameters\.connections: must be at least 2"),
        (["--template", "reuseport", "--set", "connections=many"], r"parameters\.connections: must be a number"),
        (["--template", "reuseport", "--set", "nonsense=1"], r"nonsense"),
        (["--template", "reuseport", "--set", "blocks"], "write NAME=VALUE"),
        (["--template", "nonsense"], "nonsense"),
        (["--template", "reuseport", "--host", "nobody"], "no host has this name; registered: .*host-"),
        (["--template", "reuseport", "--experiment", "0" * 32], "give a FILE, or --recipe KEY, or --experiment ID"),
        (["--experiment", "0" * 32], "There is no such experiment"),
        (["--experiment", "nonsense"], "invalid UUID"),
        (["/nowhere.yaml"], "No such file"),
    ],
)
def test_mistakes_are_named(caller: Caller, agent: Agent, arguments: list[str], message: str) -> None:
    answer = caller.ngxlab("run", *arguments, "--host", f"target={agent.name}", "--host", f"generator={agent.name}")
    assert answer.returncode == 4
    assert answer.stdout == ""
    assert re.search(message, answer.stderr), answer.stderr


def test_mistakes_in_a_document(caller: Caller) -> None:
    answer = caller.ngxlab("run", "--template", "reuseport", "--set", "connections=1", "--json")
    document = json.loads(answer.stdout)
    assert (answer.returncode, document["exit_code"]) == (4, 4)
    assert document["problems"][0]["field"] == "parameters.connections"


def experiments(caller: Caller) -> int:
    total: int = caller.person.client.get("/experiments").json()["total"]
    return total


def cancel_requested(caller: Caller, run_id: str) -> bool:
    return caller.person.client.get(f"/runs/{run_id}").json()["cancel_requested_at"] is not None
