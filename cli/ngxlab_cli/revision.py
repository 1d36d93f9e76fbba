"""What of a repository a run measures: as options say it, or else as the environment of a forge's job does."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ngxlab_cli.requests import RevisionChoice

_MOST_OF_A_BRANCH = 255


def add_options(parser: argparse.ArgumentParser) -> None:
    text = "of a repository, which the run measures; in a job of GitHub or GitLab it is found by itself"
    parser.add_argument("--commit", metavar="HASH", help=f"the commit {text}")
    parser.add_argument("--branch", metavar="NAME", help="its branch, likewise")
    parser.add_argument("--pull-request", type=int, metavar="NUMBER", help="its pull or merge request, likewise")


def chosen(arguments: argparse.Namespace, environment: Mapping[str, str]) -> RevisionChoice | None:
    """``None`` where nothing is known. An option overrides what the environment says of the same thing."""
    said = {name: getattr(arguments, name) for name in ("commit", "branch", "pull_request")}
    known = of_environment(environment) | {name: value for name, value in said.items() if value is not None}
    return RevisionChoice(**known) if known else None


def of_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """What a job of GitHub's actions or of GitLab says of itself; nothing elsewhere."""
    if environment.get("GITHUB_ACTIONS") == "true":
        found = _of_github(environment)
    elif environment.get("GITLAB_CI") == "true":
        merge_request = environment.get("CI_MERGE_REQUEST_IID", "")
        found = {
            "commit": environment.get("CI_COMMIT_SHA"),
            "branch": environment.get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME") or environment.get("CI_COMMIT_REF_NAME"),
            "pull_request": int(merge_request) if merge_request.isdecimal() else None,
        }
    else:
        return {}
    if found["branch"] is not None:
        found["branch"] = found["branch"][:_MOST_OF_A_BRANCH]
    return {name: value for name, value in found.items() if value}


def _of_github(environment: Mapping[str, str]) -> dict[str, Any]:
    """A job on a pull request has checked out a commit that merges it, which nobody knows: its head is meant."""
    pull_request = _event(environment).get("pull_request") or {}
    number = pull_request.get("number")
    return {
        "commit": (pull_request.get("head") or {}).get("sha") or environment.get("GITHUB_SHA"),
        "branch": environment.get("GITHUB_HEAD_REF") or environment.get("GITHUB_REF_NAME"),
        "pull_request": number if isinstance(number, int) else _of_ref(environment.get("GITHUB_REF", "")),
    }


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
