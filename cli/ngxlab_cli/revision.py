"""What of a repository a run measures: as options say it, or else as the environment of a forge's job does."""

import argparse
import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ngxlab_cli.requests import RevisionChoice

_MOST_OF_A_BRANCH = 255
_TARGET = "pull_request_target"
_NAMES = ("commit", "branch", "pull_request")


def add_options(parser: argparse.ArgumentParser) -> None:
    text = "of a repository, which the run measures; in a job of GitHub or GitLab it is found by itself"
    parser.add_argument("--commit", metavar="HASH", help=f"the commit {text}")
    parser.add_argument("--branch", metavar="NAME", help="its branch, likewise")
    parser.add_argument("--pull-request", type=int, metavar="NUMBER", help="its pull or merge request, likewise")


@dataclass(frozen=True)
class Revision:
    """``said``: by a person; ``found``: by a job's environment, which a server may refuse without harm."""

    said: Mapping[str, Any]
    found: Mapping[str, Any]

    @property
    def choice(self) -> RevisionChoice | None:
        """``None`` where nothing is known. A person overrides what the environment says of the same thing."""
        known = {**self.found, **self.said}
        return RevisionChoice(**known) if known else None

    def without(self, refused: Sequence[str]) -> "Revision":
        """Of what was found, that which a server does not refuse; by paths such as ``revision.branch``, and
        ``revision`` where it knows of none."""
        gone = set(_NAMES) if "revision" in refused else {path.removeprefix("revision.") for path in refused}
        return Revision(self.said, {name: value for name, value in self.found.items() if name not in gone})


def chosen(arguments: argparse.Namespace, environment: Mapping[str, str]) -> Revision:
    said = {name: getattr(arguments, name) for name in _NAMES}
    return Revision({name: value for name, value in said.items() if value is not None}, of_environment(environment))


def of_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """What a job of GitHub's actions or of GitLab says of itself; nothing elsewhere."""
    if environment.get("GITHUB_ACTIONS") == "true":
        found = _of_github(environment)
    elif environment.get("GITLAB_CI") == "true":
        merge_request = environment.get("CI_MERGE_REQUEST_IID", "")
        of_commit = None if environment.get("CI_COMMIT_TAG") else environment.get("CI_COMMIT_REF_NAME")
        found = {
            "commit": environment.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or environment.get("CI_COMMIT_SHA"),
            "branch": environment.get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME") or of_commit,
            "pull_request": int(merge_request) if merge_request.isdecimal() else None,
        }
    else:
        return {}
    if found["branch"] is not None:
        found["branch"] = found["branch"][:_MOST_OF_A_BRANCH]
    return {name: value for name, value in found.items() if value}


def base_of(environment: Mapping[str, str]) -> str | None:
    """What git calls that which the job's pull or merge request goes to; ``None`` elsewhere."""
    if environment.get("GITHUB_ACTIONS") == "true" and environment.get("GITHUB_BASE_REF"):
        return f"origin/{environment['GITHUB_BASE_REF']}"
    if environment.get("GITLAB_CI") == "true":
        # The first is set where what is checked out is merged with today's target: only it leaves others' commits out.
        target = environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA")
        return target or environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA") or None
    return None


def request_of(environment: Mapping[str, str]) -> tuple[str, int | None]:
    """Whose commit a job's forge is told of, and in which pull or merge request: its head, whatever is checked out."""
    pull_request = _event(environment).get("pull_request") or {}
    found = of_environment(environment)
    if environment.get("GITHUB_ACTIONS") == "true" and pull_request:
        return (pull_request.get("head") or {}).get("sha") or found.get("commit", ""), pull_request.get("number")
    return found.get("commit", ""), found.get("pull_request")


def _of_github(environment: Mapping[str, str]) -> dict[str, Any]:
    """A job on a pull request has checked out a commit that merges it, which nobody knows: its head is meant."""
    pull_request = _event(environment).get("pull_request") or {}
    number = pull_request.get("number")
    found = {"pull_request": number if isinstance(number, int) else _of_ref(environment.get("GITHUB_REF", ""))}
    if environment.get("GITHUB_EVENT_NAME") == _TARGET:
        return found | _checked_out(environment, pull_request)
    of_commit = None if environment.get("GITHUB_REF_TYPE") == "tag" else environment.get("GITHUB_REF_NAME")
    return found | {
        "commit": (pull_request.get("head") or {}).get("sha") or environment.get("GITHUB_SHA"),
        "branch": environment.get("GITHUB_HEAD_REF") or of_commit,
    }


def _checked_out(environment: Mapping[str, str], pull_request: Mapping[str, Any]) -> dict[str, Any]:
    """Such a job has the target's files, not the request's, unless it takes those by itself."""
    here = _head(Path(environment.get("GITHUB_WORKSPACE") or "."))
    if here is not None and here == (pull_request.get("head") or {}).get("sha"):
        return {"commit": here, "branch": environment.get("GITHUB_HEAD_REF")}
    return {"commit": here or environment.get("GITHUB_SHA"), "branch": None, "pull_request": None}


def _head(folder: Path) -> str | None:
    """The commit that is checked out there."""
    try:
        done = subprocess.run(["git", "-C", str(folder), "rev-parse", "HEAD"], capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout.decode().strip() or None if done.returncode == 0 else None


def _of_ref(ref: str) -> int | None:
    """The number in ``refs/pull/12/merge``."""
    parts = ref.split("/")
    return int(parts[2]) if parts[:2] == ["refs", "pull"] and len(parts) > 2 and parts[2].isdecimal() else None


def _event(environment: Mapping[str, str]) -> dict[str, Any]:
    """What has started the job, as GitHub keeps it in a file; nothing where it cannot be read."""
    try:
        found = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    except (KeyError, OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
