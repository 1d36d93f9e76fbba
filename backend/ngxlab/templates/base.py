"""What a built-in template is: typed parameters, a definition made from them, and the words around it."""

import math
from abc import ABC, abstractmethod
from typing import Literal

from pydantic import BaseModel

from ngxlab.analysis.schemas import RunAnalysis
from ngxlab.errors import FieldProblem, Invalid
from ngxlab.experiments.definition import Definition, LevelValue

ParameterKind = Literal["integer", "number", "choice", "boolean"]


class Choice(BaseModel):
    value: str
    label: str


class Parameter(BaseModel):
    """One field of a template's form. ``article_value`` is what the published article used."""

    name: str
    section: str
    label: str
    help: str
    kind: ParameterKind
    default: LevelValue
    unit: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    choices: list[Choice] = []
    article_value: str | None = None

    def problem_with(self, value: object) -> str | None:
        """Why ``value`` is not acceptable, or ``None``."""
        if self.kind == "choice":
            allowed = [choice.value for choice in self.choices]
            return None if value in allowed else f"choose one of {', '.join(allowed)}"
        if self.kind == "boolean":
            return None if isinstance(value, bool) else "must be true or false"
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return "must be a number"
        if self.kind == "integer" and value != int(value):
            return "must be a whole number"
        unit = f" {self.unit}" if self.unit else ""
        if self.minimum is not None and value < self.minimum:
            return f"must be at least {self.minimum:g}{unit}"
        if self.maximum is not None and value > self.maximum:
            return f"must be at most {self.maximum:g}{unit}"
        return None


class Preset(BaseModel):
    """Values for a whole form: *compact* runs on one small machine, *article* repeats the publication."""

    key: str
    label: str
    help: str
    values: dict[str, LevelValue]


class Source(BaseModel):
    title: str
    url: str | None = None
    published: str


class Template(ABC):
    """A folder in ``ngxlab/templates`` holds one subclass, and nothing outside the folder knows it."""

    key: str
    title: str
    summary: str
    question: str
    mechanism: str
    source: Source
    parameters: list[Parameter]
    presets: list[Preset]

    @abstractmethod
    def build(self, values: dict[str, LevelValue]) -> Definition:
        """The definition for complete, checked parameter values."""

    @abstractmethod
    def conclude(self, analysis: RunAnalysis) -> list[str]:
        """Sentences that answer the template's own question from what was measured, and claim no more."""

    def problems_across(self, values: dict[str, LevelValue]) -> list[FieldProblem]:
        """Problems that lie between parameters; most templates have some."""
        return []

    def complete(self, given: dict[str, LevelValue]) -> dict[str, LevelValue]:
        """All parameters, defaults filled in. Raises Invalid naming each field that is wrong."""
        known = {parameter.name: parameter for parameter in self.parameters}
        problems = [
            FieldProblem(field=f"parameters.{name}", message="this template has no such parameter")
            for name in given
            if name not in known
        ]
        values = {name: given.get(name, parameter.default) for name, parameter in known.items()}
        for name, parameter in known.items():
            if message := parameter.problem_with(values[name]):
                problems.append(FieldProblem(field=f"parameters.{name}", message=message))
        if not problems:
            problems = self.problems_across(values)
        if problems:
            detail = "; ".join(f"{problem.field}: {problem.message}" for problem in problems)
            raise Invalid(detail, code="invalid-parameters", errors=problems)
        return {n: int(v) if known[n].kind == "integer" else v for n, v in values.items()}
