"""``ngxlab ci FILE``: a run of the file as it was where the change began and as it is, and what the forge is told."""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ngxlab_cli import documents
from ngxlab_cli.access import find_access
from ngxlab_cli.bench import files_of
from ngxlab_cli.ci.forges import CHECK, Told, of_job
from ngxlab_cli.ci.outcome import Outcome, cases_of, judged, junit, marked, table
from ngxlab_cli.ci.repository import as_it_was, called, merge_base
from ngxlab_cli.client import LabClient
from ngxlab_cli.commands import exit_code, follow_run
from ngxlab_cli.errors import ClientError, Exit, UsageError
from ngxlab_cli.models import Conversion, Pairing, RunDetail
from ngxlab_cli.requests import ConversionRequest, OwnConfiguration, PairingRequest
from ngxlab_cli.revision import chosen, of_environment
from ngxlab_cli.start import Order, assign, prepare, read_document, start

_YAML = {".yaml", ".yml"}
_SAME = "same-configurations"
_NEW = Outcome(Exit.NOT_COMPARED, "The file is new", "There is nothing to compare it with: nothing was run.")
_NO_SECRETS = Outcome(
    Exit.NOT_COMPARED,
    "Not compared: no server, or no token",
    "This job has no NGXLAB_URL or no NGXLAB_TOKEN, as jobs of forks have none: nothing was run.",
)
_SHORT = 10
_LONGEST_NAME = 120


def ci(arguments: argparse.Namespace) -> Exit:
    """A forge that cannot be told changes nothing of the outcome. Raises ``ClientError`` where files cannot be
    written."""
    file, document = called(arguments.file), dict[str, Any]()
    if arguments.arm is not None:
        file = f"{file} ({arguments.arm})"  # a check of its own beside that of another arm
    try:
        outcome, document = _outcome(arguments)
    except ClientError as error:
        said = "\n".join([f"{error}", *(f"- {one.field}: {one.message}" for one in error.problems)])
        outcome = Outcome(error.exit, "The comparison could not be made", f"{said}\n")
    mark = f"<!-- {CHECK}: {file.replace('--', '- -')} -->"
    told = Told(
        mark=mark,
        text=marked(mark, outcome),
        check=f"{CHECK}: {file}",
        conclusion=outcome.conclusion,
        title=outcome.title,
        url=outcome.url,
    )
    _write(arguments.output, outcome, told, document)
    _tell(told)
    said = outcome.url if outcome.url else outcome.text.strip()
    (sys.stderr if outcome.code >= Exit.USAGE else sys.stdout).write(f"{_notice(outcome)}{outcome.title}: {said}\n")
    return outcome.code


def _outcome(arguments: argparse.Namespace) -> tuple[Outcome, dict[str, Any]]:
    if of_environment(os.environ) and not _has_secrets(arguments):
        return _NO_SECRETS, {}
    with LabClient(find_access(arguments.url, arguments.token)) as client:
        return _compare(client, arguments)


def _has_secrets(arguments: argparse.Namespace) -> bool:
    url, token = arguments.url or os.environ.get("NGXLAB_URL"), arguments.token or os.environ.get("NGXLAB_TOKEN")
    return bool(url and token)


def _notice(outcome: Outcome) -> str:
    """How a job of GitHub shows a line beside its result."""
    if os.environ.get("GITHUB_ACTIONS") != "true" or outcome.conclusion == "success":
        return ""
    return "::error::" if outcome.conclusion == "failure" else "::warning::"


def _compare(client: LabClient, arguments: argparse.Namespace) -> tuple[Outcome, dict[str, Any]]:
    base = merge_base(arguments.file, arguments.base, os.environ)
    with as_it_was(arguments.file, base) as before:
        if before is None:
            return _NEW, {}
        made = (_paired if arguments.file.suffix in _YAML else _converted)(client, before, arguments)
    if isinstance(made, Outcome):
        return made, {}
    revision = chosen(arguments, os.environ)
    order = Order(
        document=made.yaml,
        again=True,
        hosts=arguments.host,
        nginx=arguments.nginx,
        name=_name(called(arguments.file)),
        note=f"base {base[:_SHORT]}",
        revision=revision,
    )
    started = start(client, prepare(client, order), order)
    sys.stderr.write(f"{started.experiment_name}, run {started.number}: {client.run_page(started.id)}\n")
    ended = follow_run(client, started, arguments, cancels_asking=True)
    if ended is None:
        return Outcome(Exit.RUN_FAILED, "Nobody waited for the end of the run", "", client.run_page(started.id)), {}
    head = (revision.choice.commit if revision.choice is not None else None) or "the working tree"
    arms = f"`base` is {base[:_SHORT]}, `change` is {head[:_SHORT]}."
    notes = made.notes if isinstance(made, Pairing) else []
    return _judged(client, ended, " ".join([arms, *notes]), arguments)


def _name(file: str) -> str:
    """Of the experiment: one for each file of each repository, of whose requests each makes a version."""
    repository = os.environ.get("GITHUB_REPOSITORY") or os.environ.get("CI_PROJECT_PATH")
    name = f"{f'{repository}: ' if repository else ''}{file}: base and change"
    return name[-_LONGEST_NAME:].strip()


def _paired(client: LabClient, before: Path, arguments: argparse.Namespace) -> Pairing | Outcome:
    """An outcome where nginx runs the same by both documents."""
    request = PairingRequest(base=read_document(before), change=read_document(arguments.file), arm=arguments.arm)
    made = client.call("POST", "/experiments/pairing", Pairing, request)
    for note in made.notes:
        sys.stderr.write(f"{note}\n")
    if made.differences:
        return made
    if made.kept:
        said = f"These differ, and arms of one run cannot: {', '.join(made.kept)}. Nothing was run."
        return Outcome(Exit.NOT_COMPARED, "Not compared: what changed cannot differ between arms", said)
    return _unchanged(made.others, made.notes)


def _unchanged(others: Sequence[str] = (), notes: Sequence[str] = ()) -> Outcome:
    said = " ".join(["Both arms would be the same: nothing was run.", *notes])
    if not others:
        return Outcome(Exit.OK, "Nothing that nginx runs has changed", said)
    title = "Not compared: only other arms than the compared one have changed"
    return Outcome(Exit.NOT_COMPARED, title, f"{said} --arm compares another: {', '.join(others)}.")


def _converted(client: LabClient, before: Path, arguments: argparse.Namespace) -> Conversion | Outcome:
    """An outcome where the configurations are the same for nginx."""
    if arguments.arm is not None:
        raise UsageError("--arm is of an experiment's file; an nginx configuration has none")
    hosts = assign(client.hosts(), arguments.host)
    files = [("base", files_of(before)), ("change", files_of(arguments.file))]
    if files[0][1] == files[1][1]:
        return _unchanged()
    request = ConversionRequest(
        configurations=[OwnConfiguration(name=name, files=own, server=arguments.server) for name, own in files],
        host_id=hosts.by_slot.get("target", hosts.all_others),
        path=arguments.path,
        workers=arguments.workers,
    )
    try:
        return client.call("POST", "/experiments/conversion", Conversion, request)
    except UsageError as error:
        if error.code == _SAME:
            return _unchanged()
        raise


def _judged(
    client: LabClient, run: RunDetail, arms: str, arguments: argparse.Namespace
) -> tuple[Outcome, dict[str, Any]]:
    report = client.report(run.id)
    (code, title), url = judged(exit_code(run, report), report), client.report_page(run.id)
    whole = client.send("GET", f"/runs/{run.id}/exports/report.md").text.partition("\n")[2].strip()
    picture = ""
    if arguments.share:
        url = client.share(run.id).url
        place, _, token = url.rpartition("/shared/")
        picture = f"![{title}]({place}/api/v1/shared/{token}/picture.png)"
    folded = f"<details><summary>Report</summary>\n\n{whole}\n\n</details>"
    parts = [f"{arms} [Report]({url})", table(report), picture, folded]
    text = "\n\n".join(part for part in parts if part) + "\n"
    return Outcome(code, title, text, url, list(cases_of(report))), documents.result(client, run, report)


def _write(folder: Path | None, outcome: Outcome, told: Told, document: Mapping[str, Any]) -> None:
    """The outcome as files, and as the summary of a job of GitHub. Raises ``UsageError``."""
    whole = {"exit_code": int(outcome.code), "conclusion": told.conclusion, "title": outcome.title, **document}
    files = {
        "ngxlab.json": json.dumps(whole, indent=2, ensure_ascii=False) + "\n",
        "ngxlab.md": f"{told.text}\n",
        "ngxlab.xml": junit(outcome),
    }
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                (folder / name).write_text(text, encoding="utf-8")
        if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(f"{told.text}\n")
    except OSError as error:
        raise UsageError(f"cannot write the outcome: {error}") from error


def _tell(told: Told) -> None:
    """The forge, where this is one of its jobs. What it refuses is said, and changes nothing of the verdict."""
    forge = of_job(os.environ)
    if forge is None:
        if of_environment(os.environ):
            sys.stderr.write("ngxlab: without GITHUB_TOKEN or GITLAB_TOKEN there is no comment and no check\n")
        return
    for what, tell in (("comment", forge.comment), ("check", forge.check)):
        try:
            tell(told)
        except (ClientError, KeyError, TypeError, AttributeError) as error:
            sys.stderr.write(f"ngxlab: the {what} could not be written ({error}); the outcome is the same\n")
