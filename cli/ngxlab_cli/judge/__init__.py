"""``ngxlab judge``: judge each experiment of a file and print what may be claimed."""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ngxlab_verdict import Claim, Question, judge
from ngxlab_verdict.power import more_blocks
from ngxlab_verdict.words import confidence

from ngxlab_cli.errors import Exit, UsageError
from ngxlab_cli.judge import factors, text
from ngxlab_cli.judge.question import baseline_of, question_of, with_looks
from ngxlab_cli.judge.table import Values, read_values

__all__ = ["judge_file", "judged"]


def judge_file(arguments: argparse.Namespace) -> Exit:
    """Raises UsageError."""
    name = "standard input" if arguments.file == "-" else arguments.file
    experiments = _read(arguments, name)
    baseline = baseline_of(arguments.baseline, experiments, name)
    metrics = list(dict.fromkeys(metric for values in experiments.values() for metric in values.names(0)))
    question = question_of(arguments, metrics, name)
    questions = {
        key: with_looks(question, arguments, len(values.names(2)), name if key is None else f"experiment {key}")
        for key, values in experiments.items()
    }
    for key, values in experiments.items():
        sys.stdout.write(judged(key, values, baseline, questions[key], arguments) + "\n")
    return Exit.OK


def judged(key: str | None, values: Values, baseline: str, asked: Question, arguments: argparse.Namespace) -> str:
    """What may be claimed, as text or with ``json`` as a document on a line."""
    experiment = values.experiment(baseline, asked.primary or ())
    claims = judge(experiment, asked)
    found = factors.of_experiment(experiment, values.levels, asked) if values.has_levels() else None
    if not arguments.json:
        return text.experiment_text(key, baseline, claims, asked, found)
    document: dict[str, Any] = {"experiment": key, "claims": [_document(claim, asked) for claim in claims]}
    if asked.looks is not None:
        document["at_any_look_up_to"] = asked.looks.last
    return json.dumps(document | (factors.document(found) if found is not None else {}), ensure_ascii=False)


def _read(arguments: argparse.Namespace, name: str) -> Mapping[str | None, Values]:
    if arguments.file == "-":
        return read_values(sys.stdin, name, arguments.factor)
    try:
        with Path(arguments.file).open(encoding="utf-8-sig", newline="") as source:
            return read_values(source, name, arguments.factor)
    except OSError as error:
        raise UsageError(f"cannot read {arguments.file}: {error.strerror}") from None


def _document(claim: Claim, asked: Question) -> dict[str, Any]:
    document = {name: getattr(claim, name) for name in ("arm", "metric", "family", "verdict")}
    document |= {claim.scale: claim.estimate, "low": claim.low, "high": claim.high, "pairs": claim.pairs}
    document["confidence_percent"] = confidence(claim.error)
    if (more := more_blocks(claim, text.margin_of(claim, asked))) is not None:
        document["more_pairs"] = {"if_as_it_looks": more.to_decide, "if_there_is_none": more.for_none}
    return document | ({"reason": claim.reason} if claim.reason else {})
