"""``python -m scripts.server_texts check|write``: the fixed texts of the server, which the frontend translates.

Each list is a file of ``frontend/src/api/texts``, from which a catalog is made. What the server composes with figures
is in them as templates (:mod:`ngxlab_contracts.sentences`).

A text that is no longer said stays in its file as a retired one, since stored reports have it. Who rewords a text twice
before anybody has it may delete the line of the wording between.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import get_args

from ngxlab.analysis.checks import declarations
from ngxlab.analysis.metrics import METRICS, Metric
from ngxlab.analysis.schemas import Family, MetricGroup, Verdict
from ngxlab.analysis.schemas.trial import Resource
from ngxlab.analysis.series.catalogue import CATALOGUE
from ngxlab.analysis.summary.bottleneck import cpu
from ngxlab.analysis.summary.bottleneck.devices import DIRECTIONS
from ngxlab.analysis.verdict import answers
from ngxlab.analysis.verdict.numbers import is_word
from ngxlab.core.errors import ApiError
from ngxlab.definition import loads
from ngxlab.definition.schema.factors import THE_ONLY_ARM
from ngxlab.notifications.webhook import Refused
from ngxlab.recipes.recipe import Recipe
from ngxlab.recipes.registry import recipes
from ngxlab.runs.preflight.template_fit import COUNTERS
from ngxlab.runs.states import RunState, TrialState
from ngxlab.templates.base import Template
from ngxlab.templates.charts import CustomLines, LevelLine
from ngxlab.templates.form import Parameter
from ngxlab.templates.registry import templates
from ngxlab_contracts import sentences
from ngxlab_policy.directives import is_listed
from zxcvbn import feedback

from scripts.console import Failure, main_guard, say
from scripts.paths import FRONTEND, ROOT

FOLDER = FRONTEND / "src" / "api" / "texts"
REMEDY = "run `make texts`, translate what is new (CONTRIBUTING.md), then commit what it changed"
HEADER = """\
// What the server says in fixed words, in {}. Written by `make texts`: do not edit.
import {{ msg }} from '@lingui/core/macro';

export const TEXTS = [
"""
RETIRED = """
/** What earlier versions said: reports that were stored then still do. */
export const RETIRED = [
"""
_BEFORE, _AFTER = "  msg`", "`,"
BACKEND = ROOT / "backend" / "ngxlab"
PLACE = re.compile(r"\{([a-z]\w*)(?::[^{}]*)?\}")
"""The place of a value in a template. Other braces would be taken for one."""
_WORDS = re.compile(r"[a-z]+[,:;]? [a-z]+")
_PACKAGES_OF_RESULTS = {"analysis", "compare", "configurations", "definition", "templates", "trends"}
_WORDS_OF_ERRORS = {
    **{kind.__name__: 0 for kind in (*ApiError.__subclasses__(), Refused)},
    "invalid": 1,
    "_invalid": 1,
    "existing": 1,
    "require_owner": 2,
    "require_member": 3,
}
"""The place of its words among the arguments of what makes or raises an error."""
FIGURE = re.compile(r"[\d.,][\d., ]*[\w%]{0,3}")
"""Alike in all languages: 1x, 15.65 ms, 94,600 KB."""


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
    """By name: reports and pages of runs need all of the first, forms of templates the second, too; any page may have
    to tell of a problem; pages on which experiments are written need what is wrong with those."""
    shown = _distinct(results())
    asked = [text for text in _distinct(forms()) if text not in set(shown)]
    told = [text for text in _distinct(problems()) if text not in {*shown, *asked}]
    judged = [text for text in _distinct(definitions()) if text not in {*shown, *asked, *told}]
    before = filter(_is_said, _written(FOLDER / "results.ts"))
    retired = sorted({*before} - {*shown, *asked, *told, *judged})
    return {
        "results.ts": _file("reports and runs", shown, retired),
        "forms.ts": _file("forms of templates", asked),
        "problems.ts": _file("problems", told),
        "definitions.ts": _file("problems of experiments that are being written", judged),
    }


def _written(path: Path) -> Iterator[str]:
    """The texts of the file as it is."""
    for line in path.read_text().splitlines() if path.is_file() else ():
        if line.startswith(_BEFORE) and line.endswith(_AFTER):
            yield re.sub(r"\\(.)", r"\1", line.removeprefix(_BEFORE).removesuffix(_AFTER))


def results() -> Iterator[str]:
    """Series, metrics, answers, checks, limits, and what a template or a badge says of a run."""
    yield THE_ONLY_ARM
    for series in CATALOGUE:
        yield from (series.title, series.description)
    yield from (metric.info.title for metric in METRICS)
    yield from answers.fixed_texts()
    for check in declarations():
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
    """Templates of sentences, and the words in them that are no sentence themselves."""
    yield from sentences.JOINTS.values()
    yield from (word for word in (*get_args(Verdict), *get_args(Family), *get_args(MetricGroup)) if "_" not in word)
    for module in [module for name, module in sorted(sys.modules.items()) if name.startswith("ngxlab.templates.")]:
        named = (value for value in vars(module).values() if isinstance(value, Metric))
        yield from (phrase for metric in named if " " in (phrase := metric.phrase.split(" on stream ")[0]))
    yield from (metric.phrase for metric in METRICS)
    yield from (f"{{figure}} {metric.info.unit}" for metric in METRICS if is_word(metric.info.unit))
    yield from (*RunState, *TrialState, *loads.LOOPS.values())
    yield from (*cpu.GROUPS, cpu.OTHERS, *(verb for _, verb in DIRECTIONS))
    yield from _given(BACKEND / "templates", {"growth"}, {"rises", "falls"})
    for path in sorted(BACKEND.rglob("*.py")):
        if not _tells_of_problems(path) and not judges_definitions(path):
            yield from map(bare, said_in(path))
    procedure = BACKEND.parent / "verdict"
    for path in (BACKEND / "analysis" / "factorial.py", procedure / "ngxlab_verdict" / "factors.py"):
        yield from _first_arguments(ast.parse(path.read_text()), {"ValueError"})
    for path in sorted(procedure.rglob("*.py")):
        yield from (text for text in _constants(ast.parse(path.read_text())) if _WORDS.search(text))


def problems() -> Iterator[str]:
    """What errors of the API say, and why a host takes no run."""
    yield from (kind.status.phrase for kind in ApiError.__subclasses__())
    for path in sorted(BACKEND.rglob("*.py")):
        yield from map(bare, _refusals(ast.parse(path.read_text())))
        if _tells_of_problems(path):
            yield from map(bare, said_in(path))
    yield from _first_arguments(ast.parse(Path(feedback.__file__).read_text()), {"_"})


def definitions() -> Iterator[str]:
    """What is wrong with an experiment, as rules, policy and forms say it."""
    packages = (BACKEND, BACKEND.parent / "policy" / "ngxlab_policy", BACKEND.parent / "contracts" / "ngxlab_contracts")
    for path in chain.from_iterable(sorted(package.rglob("*.py")) for package in packages):
        if judges_definitions(path):
            yield from map(bare, said_in(path))


_JUDGES = ("analysis/thresholds.py", "templates/form.py")
_OF_RUNS = ("definition/builds.py", "definition/loads.py")


def judges_definitions(path: Path) -> bool:
    """Whether the module says what is wrong with an experiment."""
    if not path.is_relative_to(BACKEND):
        return path.name != "sentences.py"
    place = str(path.relative_to(BACKEND))
    return place in _JUDGES or (place.startswith("definition/") and place not in _OF_RUNS)


def _tells_of_problems(path: Path) -> bool:
    package, *others = path.relative_to(BACKEND).parts
    return package not in _PACKAGES_OF_RESULTS and (package != "runs" or others[0] != "results")


def _refusals(tree: ast.Module) -> Iterator[str]:
    constants: dict[str, ast.expr] = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        place = _WORDS_OF_ERRORS.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if place is not None and len(call.args) > place:
            yield from _strings(call.args[place], constants)
        elif isinstance(call.func, ast.Name) and call.func.id == "FieldProblem":
            for keyword in call.keywords:
                yield from _strings(keyword.value, constants) if keyword.arg == "message" else ()


def said_in(path: Path) -> Iterator[str]:
    """What a module that imports :func:`say` says, and its templates in constants. Raises :class:`Failure`."""
    tree = ast.parse(path.read_text())
    imported = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == sentences.__name__]
    if not any(alias.name == "say" for node in imported for alias in node.names):
        return  # what it says is another module's
    yield from _first_arguments(tree, {"say", "passed", "unavailable", "unknown"}, of=path)
    yield from (text for text in _constants(tree) if PLACE.search(text) and _is_said(text))


def _is_said(text: str) -> bool:
    """Whether there is anything to translate: no signs alone, and no lines of a file."""
    return "\n" not in text and re.search(r"[^\W\d_]", PLACE.sub("", text)) is not None


def bare(template: str) -> str:
    """Without the formats of its numbers, as it is stored."""
    return PLACE.sub(r"{\1}", template).strip()


def _first_arguments(tree: ast.AST, calls: set[str], of: Path | None = None) -> Iterator[str]:
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args):
        if isinstance(call.func, ast.Name) and call.func.id in calls:
            if of is not None and isinstance(call.args[0], ast.JoinedStr):
                raise Failure(f"{of}:{call.lineno} says an f-string, which has no translation", "name its values")
            yield from _strings(call.args[0], {})


def _constants(node: ast.AST) -> Iterator[str]:
    """Without docstrings, parts of f-strings, descriptions of fields, and what an error says."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.Raise() | ast.Call(func=ast.Name(id="field")):
            return
        case ast.Constant(value=str(text)):
            yield text
    for child in ast.iter_child_nodes(node):
        yield from _constants(child)


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
    yield from chain.from_iterable(map(_recipe, recipes().values()))
    yield from (COUNTERS.what,)
    for folder in ("templates", "runs/preflight"):
        yield from _given(BACKEND / folder, set(), {"what", "why", "remedy", "detail"})


def _recipe(recipe: Recipe) -> Iterator[str]:
    yield from (recipe.title, recipe.question, recipe.expectation)
    for factor in recipe.experiment.factors:
        labels = (factor.label, *(level.label for level in factor.levels))
        yield from (label for label in labels if not is_listed(label))
    for need in recipe.needs:
        yield from () if any(letter.isdigit() for letter in need.need.what) else (need.need.what,)
        yield from (need.why, need.remedy)


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


def _file(what: str, texts: Iterable[str], retired: Sequence[str] = ()) -> str:
    """One line a text, as Biome leaves it."""
    return HEADER.format(what) + _lines(texts) + "];\n" + (f"{RETIRED}{_lines(retired)}];\n" if retired else "")


def _lines(texts: Iterable[str]) -> str:
    return "".join(f"{_BEFORE}{_escaped(text)}{_AFTER}\n" for text in texts)


def _escaped(text: str) -> str:
    if "{" in PLACE.sub("", text):
        raise Failure(f"a brace that is no place of a value: {text}", "say it without")
    return text.replace("\\", "\\\\").replace("`", "\\`")


if __name__ == "__main__":
    sys.exit(main_guard(main))
