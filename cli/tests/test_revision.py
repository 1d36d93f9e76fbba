"""What a job of a forge says of the commit that it runs for, and what the server is told of it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness import Backend
from ngxlab_cli.revision import of_environment
from tests.support.caller import Caller

HEAD, MERGE = "a" * 40, "b" * 40
PUSH = {"GITHUB_ACTIONS": "true", "GITHUB_SHA": MERGE, "GITHUB_REF_NAME": "main", "GITHUB_REF": "refs/heads/main"}
PULL_REQUEST = PUSH | {
    "GITHUB_REF": "refs/pull/12/merge", "GITHUB_REF_NAME": "12/merge", "GITHUB_HEAD_REF": "fix/size",
}  # fmt: skip
MERGE_REQUEST = {
    "GITLAB_CI": "true", "CI_COMMIT_SHA": HEAD, "CI_COMMIT_REF_NAME": "refs/merge-requests/3/head",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "fix/size", "CI_MERGE_REQUEST_IID": "3",
}  # fmt: skip


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, {}),
        ({"GITHUB_SHA": MERGE, "CI_COMMIT_SHA": HEAD}, {}),
        (PUSH, {"commit": MERGE, "branch": "main"}),
        (PULL_REQUEST, {"commit": MERGE, "branch": "fix/size", "pull_request": 12}),
        (MERGE_REQUEST, {"commit": HEAD, "branch": "fix/size", "pull_request": 3}),
        ({"GITLAB_CI": "true", "CI_COMMIT_REF_NAME": "main"}, {"branch": "main"}),
        ({"GITLAB_CI": "true", "CI_COMMIT_SHA": HEAD, "CI_COMMIT_REF_NAME": "v1", "CI_COMMIT_TAG": "v1"},
         {"commit": HEAD}),
        (PUSH | {"GITHUB_REF": "refs/tags/v1", "GITHUB_REF_NAME": "v1", "GITHUB_REF_TYPE": "tag"}, {"commit": MERGE}),
    ],
)  # fmt: skip
def test_a_job_knows_its_commit(environment: dict[str, str], said: dict[str, Any]) -> None:
    assert of_environment(environment) == said


@pytest.mark.parametrize("written", [{"pull_request": {"number": 12, "head": {"sha": HEAD}}}, [], None])
def test_the_head_of_a_pull_request_is_meant(tmp_path: Path, written: Any) -> None:
    path = tmp_path / "event.json"
    path.write_text("" if written is None else json.dumps(written))
    found = of_environment(PULL_REQUEST | {"GITHUB_EVENT_PATH": str(path)})
    assert found == {"commit": HEAD if written else MERGE, "branch": "fix/size", "pull_request": 12}


def test_a_job_that_may_have_secrets_says_what_is_checked_out(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    here = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    event = tmp_path / "event.json"
    environment = PULL_REQUEST | {
        "GITHUB_EVENT_NAME": "pull_request_target", "GITHUB_WORKSPACE": str(tmp_path), "GITHUB_EVENT_PATH": str(event),
    }  # fmt: skip
    event.write_text(json.dumps({"pull_request": {"number": 12, "head": {"sha": HEAD}}}))
    assert of_environment(environment) == {"commit": here}, "the target's files"
    event.write_text(json.dumps({"pull_request": {"number": 12, "head": {"sha": here}}}))
    assert of_environment(environment) == {"commit": here, "branch": "fix/size", "pull_request": 12}


def test_what_a_server_refuses_of_a_job_is_left_out(lab: Backend, caller: Caller) -> None:
    agent = lab.agent()
    experiment = caller.person.experiment()["id"]
    caller.environment.update(MERGE_REQUEST | {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "no..branch"})
    begun = caller.ngxlab("run", "--experiment", experiment, "--host", agent.name, "--json")
    assert begun.returncode == 0, begun.stderr
    assert "is no name of a branch" in begun.stderr
    run = json.loads(begun.stdout)["run"]
    assert run["revision"] == {"commit": HEAD, "branch": None, "pull_request": 3}
    caller.ngxlab("cancel", run["id"])


def test_a_run_says_it_and_is_found_by_it(lab: Backend, caller: Caller) -> None:
    agent = lab.agent()
    experiment = caller.person.experiment()["id"]
    caller.environment.update(MERGE_REQUEST)
    begun = caller.ngxlab("run", "--experiment", experiment, "--host", agent.name, "--branch", "mine", "--json")
    assert begun.returncode == 0, begun.stderr
    run = json.loads(begun.stdout)["run"]
    assert run["revision"] == {"commit": HEAD, "branch": "mine", "pull_request": 3}
    caller.ngxlab("cancel", run["id"])
    assert run["id"] in caller.ngxlab("runs", "--branch", "mine").stdout
    assert run["id"] not in caller.ngxlab("runs", "--branch", "main").stdout
    assert "?branch=mine" in caller.ngxlab("trends", experiment, "--branch", "mine").stdout
    refused = caller.ngxlab("run", "--experiment", experiment, "--host", agent.name, "--commit", "main")
    assert (refused.returncode, "revision.commit" in refused.stderr) == (4, True)
