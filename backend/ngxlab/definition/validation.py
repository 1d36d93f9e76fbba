"""From raw JSON to a definition, or to everything that is wrong with it, each at its field."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ngxlab.core.errors import Invalid
from ngxlab.definition.problems import DefinitionProblem
from ngxlab.definition.rules import arms as arm_checks
from ngxlab.definition.rules import design as design_checks
from ngxlab.definition.rules import files as file_checks
from ngxlab.definition.rules import perturbations as perturbation_checks
from ngxlab.definition.rules import servers as server_checks
from ngxlab.definition.rules import streams as load_checks
from ngxlab.definition.rules.raw_text import problems_in_raw
from ngxlab.definition.rules.schema_errors import problems_of
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.plan import Plan
from ngxlab.definition.schema.streams import Stream
from ngxlab.definition.sections import Parts

SCHEMA_VERSION = 1
LONGEST_WINDOW_S = 3600


@dataclass(frozen=True)
class Checked:
    """``definition`` is there where every field has its shape, even if the whole makes no sense: see ``problems``."""

    definition: Definition | None
    problems: list[DefinitionProblem]
    parts: Parts


def check(raw: Mapping[str, Any]) -> Checked:
    """Never raises on a broken definition. Finds what can be found at once, not the first problem only."""
    problems = problems_in_raw(raw) + _version_problem(raw)
    if problems:
        return Checked(None, problems, Parts())
    definition, problems = None, []
    try:
        definition = Definition.model_validate(raw)
        broken = set()
    except ValidationError as error:
        problems = problems_of(error.errors(include_url=False), raw)
        broken = {problem.field.partition(".")[0] for problem in problems}
    parts = _parts(raw, broken)
    problems += design_checks.problems(raw, parts)
    problems += load_checks.problems(parts)
    problems += server_checks.problems(parts)
    problems += file_checks.problems(parts)
    problems += perturbation_checks.problems(parts)
    if (renderable := _renderable(parts)) is not None:
        with_streams = parts.streams is not None
        problems += [p for p in arm_checks.problems(renderable) if with_streams or not p.field.startswith("streams.")]
    return Checked(definition, problems, parts)


def require(raw: Mapping[str, Any]) -> Definition:
    """A sound definition. Raises Invalid with every problem."""
    checked = check(raw)
    if checked.problems or checked.definition is None:
        raise Invalid(describe(checked.problems), code="invalid-definition", errors=checked.problems)
    return checked.definition


def describe(problems: list[DefinitionProblem]) -> str:
    """All problems as one text."""
    return "; ".join(f"{problem.field}: {problem.message}" for problem in problems)


def _version_problem(raw: Mapping[str, Any]) -> list[DefinitionProblem]:
    version = raw.get("schema_version", SCHEMA_VERSION)
    if version == SCHEMA_VERSION and not isinstance(version, bool):
        return []
    message = f"is {version!r:.40}, but this server knows version {SCHEMA_VERSION} only"
    return [DefinitionProblem(field="schema_version", message=message)]


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(Definition.model_fields[name].rebuild_annotation())


def _parts(raw: Mapping[str, Any], broken: set[str]) -> Parts:
    """The fields that have their shape; a field that is missing and has a default counts as that default."""
    found: dict[str, Any] = {}
    for name in Parts.__dataclass_fields__.keys() - broken:
        field = Definition.model_fields[name]
        found[name] = _adapter(name).validate_python(raw[name]) if name in raw else field.get_default()
    return Parts(**found)


def _renderable(parts: Parts) -> Definition | None:
    """What is needed to write configurations, with something harmless for parts that are broken elsewhere."""
    if parts.factors is None or parts.design is None or parts.nginx is None or parts.backends is None:
        return None
    if not design_checks.is_countable(parts.factors):
        return None
    return Definition(
        question="",
        factors=parts.factors,
        design=parts.design,
        baseline=parts.baseline or "only",
        nginx=parts.nginx,
        backends=parts.backends,
        streams=parts.streams or [Stream(key="none", threads=1, connections=1)],
        perturbations=parts.perturbations or [],
        plan=parts.plan or Plan(blocks=1, warmup_s=0, measure_s=LONGEST_WINDOW_S),
    )
