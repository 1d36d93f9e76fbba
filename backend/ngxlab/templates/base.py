"""What a built-in template is: a form, a definition made from it, and the words, charts and figures around it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from pydantic import BaseModel

from ngxlab.core.errors import FieldProblem, Invalid
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.templates.charts import ChartSpec
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.figures import Figure
from ngxlab.templates.form import Parameter, Preset
from ngxlab.templates.needs import Need


class Source(BaseModel):
    """The article. ``published``: the day, month or year."""

    title: str
    url: str | None = None
    published: str


class Label(BaseModel):
    """Something a reader must know of a result before its figures, e.g. "simulated"."""

    key: str
    label: str
    help: str


class Template(ABC):
    """A folder in ``ngxlab/templates`` holds one subclass, and nothing outside the folder knows it.

    ``presets``: the compact one first. ``charts`` and ``figures``: in the order of the page.
    """

    key: str
    title: str
    summary: str
    question: str
    mechanism: str
    source: Source
    parameters: Sequence[Parameter]
    presets: Sequence[Preset]
    charts: Sequence[ChartSpec] = ()
    figures: Sequence[Figure] = ()

    @abstractmethod
    def build(self, values: dict[str, LevelValue]) -> Definition:
        """The definition for complete, checked parameter values."""

    @abstractmethod
    def conclude(self, evidence: Evidence) -> list[str]:
        """Sentences that answer the template's own question from what was measured, and claim no more."""

    def needs(self, values: dict[str, LevelValue]) -> list[Need]:
        """What the hosts must or should have for these values, beyond what every run is checked for."""
        return []

    def labels(self, evidence: Evidence) -> list[Label]:
        """What stands beside the conclusion, e.g. that a part of it is simulated."""
        return []

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
