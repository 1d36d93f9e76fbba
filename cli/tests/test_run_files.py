"""``ngxlab run FILE``, ``ngxlab export RUN --format`` and ``ngxlab import`` against a real backend."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from harness import Backend
from tests.support.caller import Caller


def test_a_run_is_written_to_files_and_taken_in(lab: Backend, caller: Caller, tmp_path: Path) -> None:
    agent, coordinator = lab.agent(), lab.coordinator()
    run = caller.person.run(agent)
    coordinator.lease(run["id"]).raise_for_status()
    while (step := coordinator.next(run["id"]))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"])
    file = tmp_path / "run.zip"
    written = caller.ngxlab("export", run["id"], "--format", "run.zip", "--output", str(file))
    assert (written.returncode, written.stdout) == (0, f"{file}\n"), written.stderr
    assert ZipFile(file).testzip() is None
    printed = caller.ngxlab("export", run["id"], "--format", "report.md", "--output", "-")
    assert printed.stdout.startswith(f"# {run['experiment_name']} #{run['number']}\n")
    again = caller.ngxlab("import", str(file))
    assert (again.returncode, again.stderr) == (4, f"ngxlab: This run is here already: {run['experiment_name']} #1.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["run.zip"]
    file.write_bytes(b"nothing")
    refused = caller.ngxlab("import", str(file))
    assert refused.returncode == 4
    assert "This is not an archive of a run." in refused.stderr


def test_a_file_that_is_run_again_is_the_same_experiment(lab: Backend, caller: Caller, tmp_path: Path) -> None:
    agent = lab.agent()
    made = caller.person.experiment()
    document = caller.person.client.get(f"/experiments/{made['id']}/versions/1.yaml").text
    path = tmp_path / "experiment.yaml"

    def run(text: str, *options: str) -> dict[str, Any]:
        path.write_text(text)
        begun = caller.ngxlab("run", str(path), "--host", agent.name, "--name", "Nightly", "--json", *options)
        assert begun.returncode == 0, begun.stderr
        found: dict[str, Any] = json.loads(begun.stdout)["run"]
        caller.ngxlab("cancel", found["id"])
        ended: dict[str, Any] = caller.person.client.get(f"/runs/{found['id']}").json()
        return ended

    first = run(document)
    second = run(document, "--tag", "main", "--tag", "Nightly")
    changed = run(document.replace("blocks: ", "blocks: 1"))
    apart = run(document, "--new")
    assert first["experiment_id"] == second["experiment_id"] == changed["experiment_id"] != apart["experiment_id"]
    assert made["id"] not in {first["experiment_id"], apart["experiment_id"]}
    assert [one["number"] for one in (first, second, changed, apart)] == [1, 2, 3, 1]
    assert [one["version"] for one in (first, second, changed)] == [1, 1, 2]
    assert second["tags"] == ["main", "nightly"]
    # The newest of that name is the one that is meant; another person's never is.
    assert run(document)["experiment_id"] == apart["experiment_id"]


def test_a_run_is_named_by_its_number_or_as_the_latest(lab: Backend, caller: Caller) -> None:
    agent = lab.agent()
    run = caller.person.run(agent)
    caller.ngxlab("cancel", "latest")
    assert caller.person.client.get(f"/runs/{run['id']}").json()["state"] == "cancelled"
    assert caller.ngxlab("tag", "latest", "+named").stdout == f"run {run['id']}: named\n"
    printed = caller.ngxlab("export", "latest", "--format", "metrics.txt", "--output", "-")
    assert (printed.returncode, printed.stderr) == (0, "")
    assert "names a run: say with --format" in caller.ngxlab("export", "latest").stderr
    assert "give two runs or more" in caller.ngxlab("compare", "latest", run["id"]).stderr
    several = caller.ngxlab("tag", "#1")
    assert (several.returncode, "runs have the number #1: give an id" in several.stderr) == (4, True)
    assert "no run has the number #4711" in caller.ngxlab("wait", "#4711").stderr
    assert "'nothing' is no id of a run" in caller.ngxlab("wait", "nothing").stderr
    for _ in range(8):
        last = json.loads(
            caller.ngxlab("run", "--experiment", run["experiment_id"], "--host", agent.name, "--json").stdout
        )["run"]
        caller.ngxlab("cancel", last["id"])
    assert caller.ngxlab("tag", "#9", "+ninth").stdout == f"run {last['id']}: ninth\n"
