"""The machine-readable documents of ``--json``: one JSON object each, on standard output."""

from typing import Any

from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import ClientError, Exit
from ngxlab_cli.models import Report, RunDetail, RunSummary

_RUN_FIELDS = set(RunSummary.model_fields) - {"headline", "verdict", "outcome"}


def failure(error: ClientError) -> dict[str, Any]:
    return {
        "exit_code": int(error.exit),
        "error": str(error),
        "problems": [problem.model_dump(mode="json") for problem in error.problems],
    }


def run(client: LabClient, detail: RunDetail, code: Exit = Exit.OK) -> dict[str, Any]:
    """A run without its report: it has only just started, or nobody waited for its end."""
    pages = {"url": client.run_page(detail.id), "report_url": client.report_page(detail.id)}
    return {"exit_code": int(code), "run": detail.model_dump(mode="json", include=_RUN_FIELDS) | pages}


def result(client: LabClient, detail: RunDetail, report: Report, code: Exit) -> dict[str, Any]:
    """A run with its verdict. ``metrics`` has the units of the values in ``arms``."""
    analysis = report.analysis.model_dump(mode="json")
    return run(client, detail, code) | {
        "outcome": report.outcome,
        "thresholds": [threshold.model_dump(mode="json") for threshold in report.thresholds],
        "verdict": analysis["verdict"],
        "headline": analysis["headline"],
        "answers": analysis["answers"],
        "statements": analysis["statements"],
        "more_or_longer": analysis["more_or_longer"],
        "margin": analysis["margin_note"],
        "checks": analysis["checks"]["text"],
        "metrics": analysis["metrics"],
        "arms": analysis["arms"],
    }
