"""The command line as a person installs it: ``pip install ./cli`` into an empty environment."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.paths import ROOT
from scripts.setup.python_env import tool_environment
from scripts.testbed.stack import Stack

HEAVY = {"celery", "sqlalchemy", "numpy", "scipy", "ngxlab", "ngxlab-worker", "ngxlab-contracts", "ngxlab-verdict"}
LARGEST_MB = 30
OF_EVERY_ENVIRONMENT = {"pip", "setuptools", "_distutils_hack", "pkg_resources"}


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a virtual environment with the command line, and nothing else of this repository."""
    folder = tmp_path_factory.mktemp("cli")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install = [str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", str(ROOT / "cli")]
    subprocess.run(install, env=tool_environment(), check=True)
    return folder / "bin"


def _ngxlab(environment: Path, *arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NGXLAB_")}
    command = [str(environment / "ngxlab"), *arguments]
    return subprocess.run(command, env=inherited | settings, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_line_installs_nothing_heavy(environment: Path) -> None:
    listed = subprocess.run([environment / "pip", "list", "--format", "freeze"], capture_output=True, check=True)
    installed = {line.partition("==")[0].lower() for line in listed.stdout.decode().splitlines()}
    assert "ngxlab-cli" in installed
    assert not installed & HEAVY


def test_the_command_line_is_small(environment: Path) -> None:
    (packages,) = environment.parent.glob("lib/python*/site-packages")
    own = [path for path in packages.iterdir() if path.name.partition("-")[0] not in OF_EVERY_ENVIRONMENT]
    files = [file for path in own for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()]
    assert len(files) > 50
    assert sum(file.stat().st_size for file in files) < LARGEST_MB * 1_000_000


def test_judge_says_what_to_install(environment: Path, tmp_path: Path) -> None:
    refused = _ngxlab(environment, "judge", str(tmp_path / "values.csv"), "--primary", "rate")
    assert refused.returncode == 4
    assert "pip install 'ngxlab-cli[judge]'" in refused.stderr
    assert "--primary" in _ngxlab(environment, "judge", "--help").stdout


def test_mcp_says_what_to_install(environment: Path) -> None:
    refused = _ngxlab(environment, "mcp")
    assert refused.returncode == 4
    assert "pip install 'ngxlab-cli[mcp]'" in refused.stderr


def test_without_the_worker_host_join_says_what_is_missing(environment: Path) -> None:
    refused = _ngxlab(environment, "host", "join", "http://127.0.0.1:1", "token")
    assert refused.returncode == 4
    assert "`ngxlab host join` needs the worker package on this machine" in refused.stderr


@pytest.fixture
def settings(stack: Stack) -> dict[str, str]:
    return {"NGXLAB_URL": stack.url, "NGXLAB_TOKEN": stack.token}


def _blocks(document: str, language: str) -> list[str]:
    text = (ROOT / "docs" / document).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _shell(environment: Path, order: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """As a reader types it who has the command line in their PATH."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NGXLAB_")}
    inherited["PATH"] = f"{environment}:{inherited['PATH']}"
    shell = ["bash", "-uc", order]
    return subprocess.run(shell, env=inherited | settings, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.timeout(300)
def test_the_user_guide_leads_an_example_to_its_verdict_from_an_empty_environment(
    environment: Path, stack: Stack, settings: dict[str, str]
) -> None:
    first, later, every_night = _blocks("user-guide.md", "sh")
    *before, order = first.splitlines()
    for command in before:
        done = _shell(environment, command, **settings)
        assert done.returncode == 0, done.stderr
    run = _shell(environment, order, **settings)
    not_valid = "Not valid: " in run.stdout  # on a small machine the generator may take all that a core has
    assert run.returncode == (3 if not_valid else 0), run.stderr
    assert "completed · 8/8 trials" in run.stderr
    assert "kept alive" in run.stdout
    assert "against baseline" in run.stdout
    assert f"report: {stack.url}/runs/" in run.stdout
    shared = _shell(environment, f"set -e\n{later}", **settings)
    assert shared.returncode == 0, shared.stderr
    assert "://" in shared.stdout.split()[-1]
    scheduled = _shell(environment, f"set -e\n{every_night}", **settings)
    assert scheduled.returncode == 0, scheduled.stderr
    assert scheduled.stdout.count("every Monday and Thursday at 02:00, Europe/Berlin") == 2
    removed = _shell(environment, f"ngxlab schedule remove {scheduled.stdout.split()[0]}", **settings)
    assert removed.returncode == 0, removed.stderr


def _jobs() -> tuple[list[str], list[str]]:
    """The commands of docs/ci.md that run a file alone: of the job for GitHub, and of the one for GitLab."""
    github, gitlab = (yaml.safe_load(block) for block in _blocks("ci.md", "yaml")[-2:])
    steps = github["jobs"]["performance"]["steps"]
    return [step["run"] for step in steps if "run" in step], gitlab["performance"]["script"]


@pytest.fixture
def job(tmp_path: Path) -> str:
    """The commands of a job but the installation, which the environment has behind it; its result goes to a folder."""
    github, gitlab = _jobs()
    assert github == gitlab
    install, *commands = github
    assert re.fullmatch(r'pip install "ngxlab-cli @ git\+https://\S+#subdirectory=cli"', install)
    return " && ".join(commands).replace("> result.json", f"> {tmp_path}/result.json")


@pytest.mark.timeout(300)
def test_the_job_of_the_document_ends_with_a_declared_code_and_its_result(
    environment: Path, settings: dict[str, str], job: str, tmp_path: Path
) -> None:
    run = _shell(environment, job, **settings)
    document = json.loads((tmp_path / "result.json").read_text())
    assert run.returncode == document["exit_code"]
    assert run.returncode in {0, 1, 2, 3}, run.stderr
    _complete_without_failed_requests(document)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("example", ["gzip-levels", "latency-budget"])
def test_the_other_examples_complete_without_failed_requests(
    environment: Path, settings: dict[str, str], example: str, tmp_path: Path
) -> None:
    """With short trials: whether requests fail shows in any."""
    definition = yaml.safe_load((ROOT / "examples" / f"{example}.yaml").read_text())
    definition["plan"] |= {"blocks": 2, "warmup_s": 0, "measure_s": 1, "cooldown_s": 0}
    shortened = tmp_path / f"{example}.yaml"
    shortened.write_text(yaml.safe_dump(definition))
    run = _ngxlab(environment, "run", str(shortened), "--wait", "--json", "--quiet", **settings)
    _complete_without_failed_requests(json.loads(run.stdout))


def _complete_without_failed_requests(document: dict[str, Any]) -> None:
    assert document["run"]["state"] == "completed", document["run"]["state_reason"]
    assert all(arm["usable_trials"] for arm in document["arms"])
    # Latency depends on the machine; errors do not.
    errors = [entry for entry in document["thresholds"] if entry["text"].startswith("errors_percent")]
    assert [entry for entry in errors if entry["outcome"] not in {"pass", "not_valid"}] == []
