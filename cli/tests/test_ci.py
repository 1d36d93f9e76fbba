"""``ngxlab ci`` in jobs of a made forge: one comment a request, one check a commit, and what makes a job red."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
import yaml
from harness import Agent, Backend
from ngxlab_cli.ci.forges import CHECK, Told, of_job
from ngxlab_cli.ci.outcome import Case, Outcome, cases_of, judged, junit, table
from ngxlab_cli.errors import ClientError, Exit
from ngxlab_cli.models import ArmAnalysis, Report, RunAnalysis, VerdictSentence
from ngxlab_verdict import Experiment, MetricRule, Question, judge
from services import wait_until
from tests.support.caller import Caller
from tests.support.driving import drive
from tests.support.forge import SOMEBODY, Forge, made_forge

ROOT = Path(__file__).resolve().parents[2]
FILE = "performance.yaml"
SHORT = {"blocks": 2, "warmup_s": 1, "measure_s": 2, "cooldown_s": 0}


@pytest.fixture
def forge() -> Iterator[Forge]:
    with made_forge() as forge:
        yield forge


class Repository:
    """A repository whose branch ``change`` left ``main`` at its first commit."""

    def __init__(self, path: Path) -> None:
        self.path, self.file = path, path / FILE
        self.git("init", "-q", "-b", "main")
        document = yaml.safe_load((ROOT / "examples" / "keepalive.yaml").read_text())
        document["plan"] = SHORT
        document["streams"][0]["connections"] = 10  # as the made agent reports
        self.write(document)
        self.base = self.commit()
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.git("checkout", "-q", "-b", "change")

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        done = subprocess.run(["git", *who, *words], cwd=self.path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def write(self, document: dict[str, Any]) -> None:
        self.file.write_text(yaml.safe_dump(document, sort_keys=False))

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "A change")
        return self.git("rev-parse", "HEAD")

    def push(self, **nginx: Any) -> str:
        document = yaml.safe_load(self.file.read_text())
        document["nginx"] |= nginx
        self.write(document)
        return self.commit()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    path = tmp_path / "repository"
    path.mkdir()
    return Repository(path)


def github(forge: Forge, commit: str, folder: Path) -> dict[str, str]:
    event = folder / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 12, "head": {"sha": commit}}}))
    return {
        "GITHUB_ACTIONS": "true", "GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "o/r", "GITHUB_TOKEN": "secret",
        "GITHUB_BASE_REF": "main", "GITHUB_HEAD_REF": "change", "GITHUB_REF": "refs/pull/12/merge",
        "GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(event),
    }  # fmt: skip


def gitlab(forge: Forge, commit: str, base: str) -> dict[str, str]:
    return {
        "GITLAB_CI": "true", "CI_API_V4_URL": f"{forge.url}/lab", "CI_PROJECT_ID": "4", "GITLAB_TOKEN": "secret",
        "CI_MERGE_REQUEST_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "12", "CI_COMMIT_SHA": commit,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_PROJECT_PATH": "o/r",
    }  # fmt: skip


def job(lab: Backend, caller: Caller, agent: Agent, *words: str, **environment: str) -> tuple[int, str, str]:
    """A whole job, with the run that it starts: its exit code, and what it says."""
    process = caller.start("ci", *words, "--host", agent.name, **environment)

    def queued() -> list[str]:
        assert process.poll() is None, process.communicate()
        runs = caller.person.client.get("/runs").json()["items"]
        return [run["id"] for run in runs if run["state"] == "queued" and run["hosts"] == [agent.name]]

    wait_until(lambda: bool(queued()), "the run being queued")
    drive(lab, agent, queued()[0])
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_three_pushes_make_one_comment_and_one_check_a_commit(
    lab: Backend, caller: Caller, forge: Forge, repository: Repository, tmp_path: Path
) -> None:
    agent, output = lab.agent(), tmp_path / "output"
    forge.comments += [{"id": n, "body": "Nice", "user": SOMEBODY} for n in range(1, 121)]
    mark = f"<!-- {CHECK}: {FILE} -->"
    forge.comments[3]["body"] = f"{mark} all is green"
    commits = [repository.push(worker_connections=1000 + n) for n in range(3)]
    for commit in commits:
        repository.git("checkout", "-q", commit)
        environment = github(forge, commit, tmp_path)
        code, out, err = job(lab, caller, agent, str(repository.file), "--output", str(output), **environment)
        assert code == 0, err
        assert "/report" in out
        assert forge.comments[-1]["body"].startswith(mark)
        assert f"`change` is {commit[:10]}" in forge.comments[-1]["body"]
    assert (len(forge.comments), forge.comments[3]["body"]) == (121, f"{mark} all is green")
    assert [one["head_sha"] for one in forge.checks] == commits
    assert {one["conclusion"] for one in forge.checks} == {"success"}
    assert {one["name"] for one in forge.checks} == {f"{CHECK}: {FILE}"}
    run, *others = caller.person.client.get("/runs").json()["items"]
    assert (run["number"], len(others)) == (3, 2)
    assert run["experiment_name"] == f"o/r: {FILE}: base and change"
    assert run["revision"] == {"commit": commits[-1], "branch": "change", "pull_request": 12}
    assert json.loads((output / "ngxlab.json").read_text())["run"]["id"] == run["id"]
    assert (output / "ngxlab.md").read_text().startswith(mark)
    assert Xml.parse(output / "ngxlab.xml").getroot().get("failures") == "0"
    definition = caller.person.client.get(f"/experiments/{run['experiment_id']}").json()["definition"]
    values = [level["variables"]["ngxlab_revision_worker_connections"] for level in definition["factors"][0]["levels"]]
    assert values[1] == 1002
    assert values[0] != 1002
    assert repository.git("worktree", "list").count("\n") == 0


def test_gitlab_keeps_a_note_and_a_status_in_the_projects_that_have_them(
    lab: Backend, caller: Caller, forge: Forge, repository: Repository
) -> None:
    agent, commit = lab.agent(), repository.push(worker_connections=2000)
    for _ in range(2):
        code, _, err = job(lab, caller, agent, str(repository.file), **gitlab(forge, commit, repository.base))
        assert (code, "could not be written" in err) == (0, False), err
    assert len(forge.comments) == 1
    assert [(one["sha"], one["state"]) for one in forge.checks] == [(commit, "success")]


def test_without_a_secret_the_check_is_neutral_and_nothing_is_green(
    caller: Caller, forge: Forge, repository: Repository, tmp_path: Path
) -> None:
    commit, output = repository.push(worker_connections=2000), tmp_path / "output"
    for environment in (github(forge, commit, tmp_path), gitlab(forge, commit, repository.base)):
        done = caller.ngxlab("ci", str(repository.file), "--output", str(output), NGXLAB_TOKEN="", **environment)
        assert done.returncode == Exit.NOT_COMPARED, done.stderr
        assert json.loads((output / "ngxlab.json").read_text())["conclusion"] == "neutral"
        assert Xml.parse(output / "ngxlab.xml").getroot().get("skipped") == "1"
    assert [one.get("conclusion", one.get("state")) for one in forge.checks] == ["neutral", "skipped"]


def test_what_is_not_compared_is_told(caller: Caller, forge: Forge, repository: Repository, tmp_path: Path) -> None:
    def told(file: Path, commit: str) -> tuple[int, str]:
        done = caller.ngxlab("ci", str(file), **github(forge, commit, tmp_path))
        return done.returncode, forge.checks[-1]["output"]["title"]

    kept = repository.push(request_times=True)
    assert told(repository.file, kept) == (7, "Not compared: what changed cannot differ between arms")
    repository.git("checkout", "-q", "-B", "change", "HEAD^")
    same = repository.commit()
    assert told(repository.file, same) == (0, "Nothing that nginx runs has changed")
    new = repository.path / "new.yaml"
    new.write_text(repository.file.read_text())
    assert told(new, repository.commit()) == (Exit.NOT_COMPARED, "The file is new")
    repository.file.write_text("nothing: here\n")
    assert told(repository.file, repository.commit()) == (Exit.USAGE, "The comparison could not be made")
    repository.git("checkout", "-q", "main")
    done = caller.ngxlab("ci", str(repository.file), **github(forge, same, tmp_path))
    assert "has nothing that origin/main lacks" in done.stderr


def test_a_forge_that_refuses_changes_nothing(
    caller: Caller, forge: Forge, repository: Repository, tmp_path: Path
) -> None:
    forge.refuses = True
    done = caller.ngxlab("ci", str(repository.file), **github(forge, repository.commit(), tmp_path))
    assert done.returncode == 0
    assert "the comment could not be written" in done.stderr
    assert "secret" not in done.stdout + done.stderr


def test_the_same_commit_again_writes_into_its_check(forge: Forge, tmp_path: Path) -> None:
    made = of_job(github(forge, "a" * 40, tmp_path))
    assert made is not None
    for conclusion in ("failure", "success"):
        made.check(Told("<!-- x -->", "text", "ngxlab: x", conclusion, "title", None))
    assert [one["conclusion"] for one in forge.checks] == ["success"]
    forge.refuses = True
    with pytest.raises(ClientError, match="403"):
        made.check(Told("<!-- x -->", "text", "ngxlab: x", "success", "title", None))


def report(*verdicts: str, blocks: int = 5) -> Report:
    statements = [
        VerdictSentence(arm="change", metric=f"metric_{n}", verdict=verdict, text=f"It is {verdict}.")
        for n, verdict in enumerate(verdicts)
    ]
    arms = [
        ArmAnalysis(key=key, label=key, is_baseline=key == "base", usable_trials=blocks, metrics=[])
        for key in ("base", "change")
    ]
    analysis: dict[str, Any] = {"statements": statements, "answers": [], "arms": arms}
    rest: dict[str, Any] = {"thresholds": [], "outcome": None}
    return Report.model_construct(analysis=RunAnalysis.model_construct(**analysis), **rest)


@pytest.mark.parametrize(
    ("ended", "verdicts", "code", "title"),
    [
        (Exit.OK, ["worse", "undecided"], Exit.THRESHOLD_FAILED, "The change is worse"),
        (Exit.OK, ["worse", "better"], Exit.UNDECIDED, "A trade-off: better in one metric, worse in another"),
        (Exit.THRESHOLD_FAILED, ["worse", "better"], Exit.THRESHOLD_FAILED, "A threshold does not hold"),
        (Exit.OK, ["better", "undecided"], Exit.OK, "The change is better"),
        (Exit.OK, ["equivalent"], Exit.OK, "The change is equivalent"),
        (Exit.OK, ["undecided"], Exit.OK, "Nothing is shown to be worse"),
        (Exit.NOT_VALID, ["worse"], Exit.NOT_VALID, "Not valid: an error of a check voids the results"),
        (Exit.RUN_FAILED, [], Exit.RUN_FAILED, "The run came to no end"),
    ],
)
def test_what_a_report_comes_to(ended: Exit, verdicts: list[str], code: Exit, title: str) -> None:
    assert judged(ended, report(*verdicts)) == (code, title)


def test_a_single_block_decides_nothing() -> None:
    assert judged(Exit.OK, report("undecided", blocks=1)) == (Exit.UNDECIDED, "Not decided: no two blocks to compare")


def test_hundred_requests_that_change_nothing_are_red_five_times_at_most() -> None:
    """Two arms of the same distribution in five blocks that differ, judged as a run's are."""
    primary = ("requests_per_s", "latency_p99_us")
    rules = {primary[0]: MetricRule("more_is_better"), primary[1]: MetricRule("less_is_better")}
    drawn, red = np.random.default_rng(30), 0
    for _ in range(100):
        blocks = drawn.normal(0, 0.05, (2, 1, 5))
        values = 1000 * np.exp(blocks + drawn.normal(0, 0.02, (2, 2, 5)))
        claims = judge(Experiment(arms=["base", "change"], metrics=primary, values=values), Question(primary, rules))
        code, _ = judged(Exit.OK, report(*(claim.verdict for claim in claims)))
        red += Outcome(code, "", "").conclusion == "failure"
    assert red <= 5


def test_junit_and_the_table_take_any_text() -> None:
    cases = [
        Case("a\x00b", "text <&>", failed="worse"),
        Case("c", skipped="open"),
        *cases_of(report("worse", "better", "undecided")),
    ]
    root = Xml.fromstring(junit(Outcome(Exit.THRESHOLD_FAILED, "", "", cases=cases)))
    assert [root.get(name) for name in ("tests", "failures", "skipped")] == ["5", "2", "2"]
    assert Xml.fromstring(junit(Outcome(Exit.UNREACHABLE, "No server", ""))).get("failures") == "1"
    without_end = Outcome(Exit.RUN_FAILED, "", "", cases=[Case("c", skipped="open")])
    assert Xml.fromstring(junit(without_end)).get("failures") == "1"
    assert table(report("worse")) == ""
