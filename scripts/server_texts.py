"""``python -m scripts.server_texts check|write``: the fixed texts of the server, which the frontend translates.

Each list is a file of ``frontend/src/api/texts``, from which a catalog is made. What the server composes with figures
is in them as templates (:mod:`scripts.composed_texts`).
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import get_args

from ngxlab.analysis.checks import RUN_CHECKS, TRIAL_CHECKS
from ngxlab.analysis.metrics import METRICS, Metric
from ngxlab.analysis.schemas import Family, MetricGroup, Verdict
from ngxlab.analysis.schemas.bottleneck import Resource
from ngxlab.analysis.series.catalogue import CATALOGUE
from ngxlab.analysis.verdict import answers
from ngxlab.runs.preflight.template_fit import COUNTERS
from ngxlab.templates.base import Template
from ngxlab.templates.charts import CustomLines, LevelLine
from ngxlab.templates.form import Parameter
from ngxlab.templates.registry import templates

from scripts import composed_texts
from scripts.console import Failure, main_guard, say
from scripts.paths import FRONTEND, ROOT

FOLDER = FRONTEND / "src" / "api" / "texts"
REMEDY = "run `make texts`, translate what is new (CONTRIBUTING.md), then commit what it changed"
HEADER = """\
// What the server says in fixed words, in {}. Written by `make texts`: do not edit.
import {{ msg }} from '@lingui/core/macro';

export const TEXTS = [
"""
BACKEND = ROOT / "backend" / "ngxlab"
FIGURE = re.compile(r"[\d.,][\d., ]*[\w%]{0,3}")
"""Alike in all languages: 1x, 15.65 ms, 94,600 KB."""
INTERVALS = ("{0} % CI {1}", "{0} % CI at any look {1}")
JOINTS = ("{0}: {1}", "{0}; {1}", "{0}, {1}", "{0} and {1}", "{0} ({1})", "({0})", "{0}.", "{0} {1} %", *INTERVALS)
"""Between parts of a sentence, whatever they are."""
SAID_OF_RUNS = (
    "analysis/verdict",
    "analysis/checks",
    "analysis/summary",
    "analysis/factorial",
    "analysis/run_analysis.py",
    "templates/estimates.py",
    "templates/findings.py",
    "templates/*/conclusion.py",
)
NOT_SAID = ("checks/check.py", "checks/document.py", "checks/evidence.py", "summary/series.py")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.server_texts", description=__doc__)
    parser.add_argument("order", choices=("check", "write"))
    order: str = parser.parse_args().order
    for name, text in files().items():
        path = FOLDER / name
        if order == "write":
            path.write_text(text)
            say(f"wrote {path.relative_to(ROOT)}")
        elif not path.is_file() or path.read_text() != text:
            raise Failure(f"{path.relative_to(ROOT)} is not what the server says", REMEDY)
    if order == "check":
        say("fixed texts of the server: current")
    return 0


def files() -> dict[str, str]:
    """By name: reports and pages of runs need all of the first, forms of templates the second, too."""
    shown = _distinct(results())
    asked = [text for text in _distinct(forms()) if text not in set(shown)]
    return {"results.ts": _file("reports and runs", shown), "forms.ts": _file("forms of templates", asked)}


def results() -> Iterator[str]:
    """Series, metrics, answers, checks, limits, and what a template or a badge says of a run."""
    for series in CATALOGUE:
        yield from (series.title, series.description)
    yield from (metric.info.title for metric in METRICS)
    yield from answers.fixed_texts()
    for check in (*TRIAL_CHECKS, *RUN_CHECKS):
        yield from (
            check.title,
            check.failed,
            check.titled("unavailable"),
            check.key.replace("-", " "),
            *check.remedies,
        )
    yield from get_args(Resource)
    yield from chain.from_iterable(map(_findings, templates().values()))
    yield from _given(BACKEND, {"Label", "Badge"}, {"label", "help"})
    yield from _sentences()


def _sentences() -> Iterator[str]:
    """What is said of a run in sentences, and the words in them that are no sentence themselves."""
    yield from JOINTS
    yield from (word for word in (*get_args(Verdict), *get_args(Family), *get_args(MetricGroup)) if "_" not in word)
    for module in [module for name, module in sorted(sys.modules.items()) if name.startswith("ngxlab.templates.")]:
        named = (value for value in vars(module).values() if isinstance(value, Metric))
        yield from (phrase for metric in named if " " in (phrase := metric.phrase.split(" on stream ")[0]))
    yield from (metric.phrase for metric in METRICS)
    yield from (f"{{0}} {unit}" for metric in METRICS if len(unit := metric.info.unit) > 2 and unit.isalpha())
    yield from _given(BACKEND / "templates", {"growth"}, {"rises", "falls"})
    yield from composed_texts.templates([BACKEND.parent / "verdict"])
    yield from composed_texts.templates(_files(SAID_OF_RUNS))


def _files(patterns: Iterable[str]) -> Iterator[Path]:
    for path in chain.from_iterable(sorted(BACKEND.glob(pattern)) for pattern in patterns):
        yield from (
            file
            for file in ([path] if path.is_file() else sorted(path.rglob("*.py")))
            if not str(file).endswith(NOT_SAID)
        )


def _findings(template: Template) -> Iterator[str]:
    yield from (template.title, template.question, template.mechanism)
    for chart in template.charts:
        yield from (chart.title, chart.why)
        if isinstance(chart, LevelLine | CustomLines):
            yield from (chart.x_title, chart.x_unit)
        if isinstance(chart, CustomLines):
            yield chart.y_title
    for figure in template.figures:
        yield from (figure.label, figure.where, figure.note, *(said.text for said in figure.article))


def forms() -> Iterator[str]:
    """What templates are about, the fields of their forms, and what they need of their hosts."""
    for template in templates().values():
        yield template.summary
        yield from chain.from_iterable(map(_parameter, template.parameters))
        for preset in template.presets:
            yield from (preset.label, preset.help)
        for need in template.needs(template.complete({})):
            yield from () if any(letter.isdigit() for letter in need.what) else (need.what,)
    yield from (COUNTERS.what,)
    for folder in ("templates", "runs/preflight"):
        yield from _given(BACKEND / folder, set(), {"what", "why", "remedy", "detail"})


def _parameter(parameter: Parameter) -> Iterable[str]:
    named = (choice.label for choice in parameter.choices)
    return (parameter.section, parameter.label, parameter.help, parameter.article_value or "", *named)


def _given(folder: Path, calls: set[str], keywords: set[str]) -> Iterator[str]:
    """Texts that are these arguments of these calls, or of all: in the call, or as a constant of its file."""
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text())
        constants = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if calls and not (isinstance(call.func, ast.Name) and call.func.id in calls):
                continue
            for keyword in call.keywords:
                if keyword.arg in keywords:
                    yield from _strings(keyword.value, constants)


def _strings(value: ast.expr, constants: Mapping[str, ast.expr]) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Name(id=name) if name in constants:
            yield from _strings(constants[name], {})
        case ast.IfExp(body=one, orelse=other) | ast.BoolOp(values=[one, other]):
            yield from (*_strings(one, constants), *_strings(other, constants))


def _distinct(texts: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text and not FIGURE.fullmatch(text)]


def _file(what: str, texts: Iterable[str]) -> str:
    """One line a text, as Biome leaves it."""
    return HEADER.format(what) + "".join(f"  msg`{_escaped(text)}`,\n" for text in texts) + "];\n"


def _escaped(text: str) -> str:
    if "{" in composed_texts.PLACE.sub("", text):
        raise Failure(f"a brace in a fixed text, where a translation has a placeholder: {text}", "say it without")
    return text.replace("\\", "\\\\").replace("`", "\\`")


if __name__ == "__main__":
    sys.exit(main_guard(main))
