"""The machine-readable documents of ``--json``, each one JSON object on standard output."""

from typing import Any

from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import ClientError, Exit
from ngxlab_cli.models import Report, RunSummary


def failure(error: ClientError) -> dict[str, Any]:
    return {
        "exit_code": int(error.exit),
        "error": str(error),
        "problems": [problem.model_dump(mode="json") for problem in error.problems],
    }


def run(client: LabClient, found: RunSummary, code: Exit = Exit.OK) -> dict[str, Any]:
    """A run without its report: it has only begun, or it was left."""
    facts = found.model_dump(mode="json", include=set(RunSummary.model_fields) - {"headline", "passed"})
    pages = {"url": client.run_page(found.id), "report_url": client.report_page(found.id)}
    return {"exit_code": int(code), "run": facts | pages}


def result(client: LabClient, found: RunSummary, report: Report, code: Exit) -> dict[str, Any]:
    """A run with its verdict. Units of the metrics are those of ``metrics``."""
    analysis = report.analysis.model_dump(mode="json")
    return run(client, found, code) | {
        "passed": report.passed,
        "thresholds": [threshold.model_dump(mode="json") for threshold in report.thresholds],
        "headline": analysis["headline"],
        "checks": analysis["checks"]["text"],
        "metrics": analysis["metrics"],
        "arms": analysis["arms"],
    }
