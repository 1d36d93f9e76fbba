"""From raw JSON to a definition, or to all its problems, each at its field."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any

from ngxlab_contracts.sentences import say
from pydantic import TypeAdapter, ValidationError

from ngxlab.core.errors import Invalid, described
from ngxlab.definition import identical as effect_rules
from ngxlab.definition.problems import DefinitionProblem, Sections
from ngxlab.definition.rules import arms as arm_rules
from ngxlab.definition.rules import design as design_rules
from ngxlab.definition.rules import perturbations as perturbation_rules
from ngxlab.definition.rules import steered as steered_rules
from ngxlab.definition.rules import streams as stream_rules
from ngxlab.definition.rules import upstream_servers as server_rules
from ngxlab.definition.rules.schema_errors import problems_in_raw, problems_of
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.plan import Plan
from ngxlab.definition.schema.streams import Stream

SCHEMA_VERSION = 1
LONGEST_WINDOW_S = 3600


@dataclass(frozen=True)
class Validated:
    """``definition`` is set if every field is valid by itself, even if the whole has ``problems``.

    ``warnings``: what can be run, but may not be what is meant; looked for only where there is no other problem.
    """

    definition: Definition | None
    problems: list[DefinitionProblem]
    sections: Sections
    warnings: list[DefinitionProblem] = field(default_factory=list)


def validate(raw: Mapping[str, Any]) -> Validated:
    """Never raises on a broken definition. Finds all problems that can be found at once, not only the first."""
    problems = problems_in_raw(raw) + _version_problem(raw)
    if problems:
        return Validated(None, problems, Sections())
    definition, problems = None, []
    try:
        definition = Definition.model_validate(raw)
        broken = set()
    except ValidationError as error:
        problems = problems_of(error.errors(include_url=False), raw)
        broken = {problem.field.partition(".")[0] for problem in problems}
    sections = _sections(raw, broken)
    found = chain(
        design_rules.problems(raw, sections),
        stream_rules.problems(sections),
        steered_rules.problems(sections),
        server_rules.problems(sections),
        perturbation_rules.problems(sections),
    )
    problems += [DefinitionProblem(field=place, message=message) for place, message in found]
    if (renderable := _renderable(sections)) is not None:
        with_streams = sections.streams is not None
        problems += [p for p in arm_rules.problems(renderable) if with_streams or not p.field.startswith("streams.")]
    warnings = []
    if definition is not None and not problems:
        warned = (effect_rules.warnings, steered_rules.warnings, stream_rules.warnings)
        warnings = [problem for rule in warned for problem in rule(definition)]
    return Validated(definition, problems, sections, warnings)


def require(raw: Mapping[str, Any]) -> Definition:
    """A valid definition. Raises Invalid with every problem."""
    validated = validate(raw)
    if validated.problems or validated.definition is None:
        raise Invalid(described(validated.problems), code="invalid-definition", errors=validated.problems)
    return validated.definition


def _version_problem(raw: Mapping[str, Any]) -> list[DefinitionProblem]:
    version = raw.get("schema_version", SCHEMA_VERSION)
    if version == SCHEMA_VERSION and not isinstance(version, bool):
        return []
    message = say(
        "is {version}, but this server supports version {supported} only",
        version=f"{version!r:.40}",
        supported=SCHEMA_VERSION,
    )
    return [DefinitionProblem(field="schema_version", message=message)]


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(Definition.model_fields[name].rebuild_annotation())


def _sections(raw: Mapping[str, Any], broken: set[str]) -> Sections:
    """The fields that are valid by themselves. A missing field with a default counts as that default."""
    valid: dict[str, Any] = {}
    for name in Sections.__dataclass_fields__.keys() - broken:
        field = Definition.model_fields[name]
        valid[name] = _adapter(name).validate_python(raw[name]) if name in raw else field.get_default()
    return Sections(**valid)


def _renderable(sections: Sections) -> Definition | None:
    """What is needed to render configurations, with harmless values for other sections that are broken."""
    if sections.factors is None or sections.design is None or not design_rules.is_countable(sections.factors):
        return None
    if sections.nginx is None or sections.upstream_servers is None:
        return None
    return Definition(
        question="",
        factors=sections.factors,
        design=sections.design,
        baseline=sections.baseline or "only",
        nginx=sections.nginx,
        upstream_servers=sections.upstream_servers,
        streams=sections.streams or [Stream(key="none", threads=1, connections=1)],
        perturbations=sections.perturbations or [],
        plan=sections.plan or Plan(blocks=1, warmup_s=0, measure_s=LONGEST_WINDOW_S),
    )
