"""An experiment as a YAML document: exported, imported, and described by the published JSON Schema."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

from ngxlab_contracts.sentences import say
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from ngxlab.core.errors import Invalid, described
from ngxlab.definition.problems import DefinitionProblem
from ngxlab.definition.schema.base import ExperimentName
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import Validated, validate
from ngxlab.definition.yaml import text as yaml_io

SCHEMA_ID = "urn:ngxlab:experiment:1"
"""It names the schema; any server of ngxlab and docs/experiment.schema.json have the text."""
_NAME = TypeAdapter(ExperimentName)
_NAMED_BY_THE_AUTHOR = frozenset({"variables", "headers", "when", "levels", "parameters", "placement"})


class ExperimentDocument(Definition):
    """An ngxlab experiment. ``name``: what it is called after the import."""

    name: Annotated[ExperimentName | None, Field(description="what the experiment is called after the import")] = None


@dataclass(frozen=True)
class ReadDocument:
    name: str | None
    validated: Validated


def document_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the document, with a description of every property."""
    schema = _plain_schema(ExperimentDocument.model_json_schema())
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID}
    return {**head, **schema, "title": "ngxlab experiment"}


def _plain_schema(value: Any) -> Any:
    """Discriminators are OpenAPI's (``oneOf`` says it too), ``since`` is for agents, and what begins with ``x-`` for
    forms; strict validators refuse them."""
    if isinstance(value, list):
        return [_plain_schema(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _plain_schema(one)
        for name, one in value.items()
        if name not in {"discriminator", "since"} and not name.startswith("x-")
    }


def to_yaml(definition: Definition, name: str | None, schema_url: str | None = None) -> str:
    """The canonical text: the same definition gives the same bytes. Fields with their default are left out."""
    content: dict[str, Any] = {"schema_version": definition.schema_version}
    if name is not None:
        content["name"] = name
    dumped = definition.model_dump(mode="json", exclude_defaults=True, exclude={"schema_version"})
    return yaml_io.dump(_ordered(content | _with_kinds(definition, dumped)), schema_url)


def _with_kinds(value: Any, dumped: Any) -> Any:
    """A section's kind may be a default too, but it determines the other fields, so it is written with them."""
    if isinstance(value, list):
        return [_with_kinds(item, entry) for item, entry in zip(value, dumped, strict=True)]
    if not isinstance(value, BaseModel):
        return dumped
    fields = dict(value)
    kind = {"kind": fields["kind"]} if "kind" in fields else {}
    return kind | {name: _with_kinds(fields[name], entry) for name, entry in dumped.items()}


def canonical_json(definition: Definition) -> str:
    """Equal only for equal definitions. In Python's own comparison 1, 1.0 and True are equal."""
    return json.dumps(definition.model_dump(mode="json"), sort_keys=True)


def _ordered(value: Any, name: str = "") -> Any:
    """Fields in the schema's order; entries that the author named, sorted by name: PostgreSQL keeps no order."""
    if isinstance(value, list):
        return [_ordered(item) for item in value]
    if not isinstance(value, dict):
        return value
    keys = sorted(value) if name in _NAMED_BY_THE_AUTHOR else value
    return {key: _ordered(value[key], key) for key in keys}


def read(text: str) -> ReadDocument:
    """Never raises on a broken document: problems have a field and a line."""
    try:
        document = yaml_io.load(text)
    except yaml_io.YamlError as error:
        problem = DefinitionProblem(field="yaml", message=error.said, line=error.line)
        return ReadDocument(None, Validated(None, [problem], validate({}).sections))
    content = dict(document.content)
    name, problems = _name(content)
    validated = validate(content)
    problems = [_with_line(problem, document) for problem in [*problems, *validated.problems]]
    warnings = [_with_line(warning, document) for warning in validated.warnings]
    return ReadDocument(name, Validated(validated.definition, problems, validated.sections, warnings))


def _name(content: dict[str, Any]) -> tuple[str | None, list[DefinitionProblem]]:
    if "name" not in content:
        return None, []
    try:
        return _NAME.validate_python(content.pop("name")), []
    except ValidationError:
        return None, [DefinitionProblem(field="name", message=say("must be text of 1 to 120 characters"))]


def _with_line(problem: DefinitionProblem, document: yaml_io.YamlDocument) -> DefinitionProblem:
    line = document.line_of(problem.field)
    if line is None:
        return problem
    message = say("{problem} (line {line} of the document)", problem=problem.message, line=line)
    return DefinitionProblem(field=problem.field, message=message, line=problem.line, arms=problem.arms)


def require(text: str, name: str | None) -> tuple[str, Definition]:
    """Name and definition. Raises Invalid with every problem."""
    document = read(text)
    problems = document.validated.problems
    chosen = name or document.name
    if chosen is None and not problems:
        message = say("is missing: give it in the document or in the request")
        problems = [DefinitionProblem(field="name", message=message)]
    if problems or chosen is None or document.validated.definition is None:
        raise Invalid(described(problems), code="invalid-definition", errors=problems)
    return chosen, document.validated.definition
