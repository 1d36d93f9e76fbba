"""What a command answers: in words, or with ``--json`` one JSON object on standard output."""

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from ngxlab_cli.access import find_access
from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import ClientError, Exit
from ngxlab_cli.models import Report, RunDetail, RunSummary

OUTCOMES = {
    "pass": Exit.OK,
    "fail": Exit.THRESHOLD_FAILED,
    "undecided": Exit.UNDECIDED,
    "not_valid": Exit.NOT_VALID,
}
_RUN_FIELDS = set(RunSummary.model_fields) - {"headline", "verdict", "outcome"}


class Shown(NamedTuple):
    """The answer. Nothing is printed for empty ``words``; a document begins with the exit code."""

    document: dict[str, Any]
    words: str
    code: Exit = Exit.OK


Command = Callable[[LabClient, argparse.Namespace], Shown]


def ask(command: Command, arguments: argparse.Namespace) -> Exit:
    """Have a command ask the server, and print its answer. Raises ``ClientError``."""
    starts = getattr(arguments, "starts_server", False)
    with LabClient(find_access(arguments.url, arguments.token, starts=starts)) as client:
        shown = command(client, arguments)
    if arguments.json:
        say_document({"exit_code": int(shown.code), **shown.document})
    elif shown.words:
        sys.stdout.write(f"{shown.words}\n")
    return shown.code


def say_document(document: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(document, indent=2, ensure_ascii=False)}\n")


def failure(error: ClientError) -> dict[str, Any]:
    problems = [problem.model_dump(mode="json") for problem in error.problems]
    return {"exit_code": int(error.exit), "error": str(error), "problems": problems}


def run(client: LabClient, detail: RunDetail) -> dict[str, Any]:
    """A run without its report: it has only just started, or nobody waited for its end."""
    pages = {"url": client.run_page(detail.id), "report_url": client.report_page(detail.id)}
    return {"run": detail.model_dump(mode="json", include=_RUN_FIELDS) | pages}


def result(client: LabClient, detail: RunDetail, report: Report) -> dict[str, Any]:
    """A run with its verdict. ``metrics`` has the units of the values in ``arms``."""
    analysis = report.analysis.model_dump(mode="json")
    taken = ("verdict", "headline", "answers", "statements", "more_or_longer")
    return {
        **run(client, detail),
        "outcome": report.outcome,
        "thresholds": [threshold.model_dump(mode="json") for threshold in report.thresholds],
        **{name: analysis[name] for name in taken},
        "judged": report.judged.model_dump(mode="json") if report.judged is not None else None,
        "judged_before": [former.model_dump(mode="json") for former in report.judged_before],
        "margin": analysis["margin_note"],
        "why": [one.model_dump(mode="json") for one in report.why or ()],
        "checks": analysis["checks"]["text"],
        "metrics": analysis["metrics"],
        "arms": analysis["arms"],
    }
