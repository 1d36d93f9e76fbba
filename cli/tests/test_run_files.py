"""``ngxlab export RUN --format`` and ``ngxlab import`` against a real backend."""

from pathlib import Path
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
