"""A built-in template: a form, the definition made from it, and its texts, charts and figures."""

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, Self

from ngxlab_contracts.sentences import Sentence, say
from pydantic import BaseModel

from ngxlab.core.errors import FieldProblem, Invalid, described
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import Factor, LevelValue
from ngxlab.templates.charts import ArmBars, ChartSpec, CustomLines, LevelLine, TimeSeries
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.figures import Figure
from ngxlab.templates.form import Parameter, Preset
from ngxlab.templates.needs import Need


class Source(BaseModel):
    """The article. ``published``: its day, month or year."""

    title: str
    url: str | None = None
    published: str


class Label(BaseModel):
    """A remark that a reader must see before the results, e.g. "simulated"."""

    key: str
    label: str
    help: str


class Template(BaseModel, ABC):
    """A folder in ``ngxlab/templates`` contains one subclass, and nothing outside the folder refers to it. The fields
    are in its ``template.toml``.

    ``factors``: those that are the same whatever the form says. ``presets``: the compact one first. ``charts`` and
    ``figures``: in the order of the page. ``primary``: the metrics that the template is about, in their order; without
    any, those of the load. ``difficulty``: from 1, the easiest, to 5; lists are in its order.
    """

    key: str
    title: str
    summary: str
    question: str
    mechanism: str
    source: Source
    factors: list[Factor] = []
    parameters: list[Parameter]
    presets: list[Preset]
    charts: list[ArmBars | LevelLine | CustomLines | TimeSeries] = []
    figures: list[Figure] = []
    primary: list[str] = []
    difficulty: int = 3

    @classmethod
    def load(cls, own: Mapping[str, object] | None = None, charts: Sequence[ChartSpec] = ()) -> Self:
        """``own``: what ``template.toml`` refers to by name and is no metric of every run. ``charts``: those before it
        that are computed otherwise."""
        said = _declaration(cls.__module__)
        return cls.model_validate(said | {"charts": [*charts, *said["charts"]]}, context=own, extra="forbid")

    @abstractmethod
    def build(self, values: dict[str, LevelValue]) -> Definition:
        """The definition for complete and valid parameter values."""

    @abstractmethod
    def conclude(self, evidence: Evidence) -> list[Sentence]:
        """Sentences that answer the template's question from what was measured, and claim no more."""

    def needs(self, values: dict[str, LevelValue]) -> list[Need]:
        """What the hosts must or should have for these values, in addition to what every run needs."""
        return []

    def labels(self, evidence: Evidence) -> list[Label]:
        """Remarks beside the conclusion, e.g. that a part of the experiment is simulated."""
        return []

    def problems_across(self, values: dict[str, LevelValue]) -> Iterable[tuple[str, Sentence]]:
        """Problems that involve several parameters, each at one of them; most templates have some."""
        return ()

    def complete(self, given: dict[str, LevelValue]) -> dict[str, LevelValue]:
        """All parameters, with defaults filled in. Raises Invalid naming each field that is wrong."""
        by_name = {parameter.name: parameter for parameter in self.parameters}
        values = {name: given.get(name, parameter.default) for name, parameter in by_name.items()}
        found = [(name, say("this template has no such parameter")) for name in given if name not in by_name]
        judged = ((name, parameter.problem_with(values[name])) for name, parameter in by_name.items())
        found += [(name, message) for name, message in judged if message]
        problems = [
            FieldProblem(field=f"parameters.{name}", message=message)
            for name, message in found or self.problems_across(values)
        ]
        if problems:
            raise Invalid(described(problems), code="invalid-parameters", errors=problems)
        return {n: int(v) if by_name[n].kind == "integer" else v for n, v in values.items()}


_Table = dict[str, Any]
"""A table of a TOML file as read: the models that it is for check it."""


def _declaration(package: str) -> _Table:
    """What the template in this package declares, with what all templates share."""
    said = _read(package, "template.toml")
    said["parameters"] = [*said["parameters"], *_plan_fields(said)]
    said["presets"] = list(_presets(said["presets"]))
    if (swept := said.pop("swept", None)) is not None:
        said["charts"] = [chart for spec in said["charts"] for chart in _where_swept(spec, swept)]
    return said


def _read(package: str, name: str) -> _Table:
    return tomllib.loads((files(package) / name).read_text(encoding="utf-8"))


def _plan_fields(said: _Table) -> Iterator[_Table]:
    """``[plan]``: defaults that differ from the shared ones; false: the template has no such field."""
    shared, own = _read("ngxlab.templates", "plan.toml"), said.pop("plan")
    for parameter in shared["parameters"]:
        default = own.get(parameter["name"], parameter["default"])
        if default is not False:
            yield {**parameter, "default": default}
    if "factors" in said:
        choices = [{"value": level["key"], "label": level["label"]} for level in said["factors"][0]["levels"]]
        article_value = said.pop("article_baseline", None)
        yield {**shared["baseline"], "choices": choices, "default": choices[0]["value"], "article_value": article_value}


def _presets(presets: list[_Table]) -> Iterator[_Table]:
    """``like``: another preset, whose values it has where it says nothing else."""
    values: dict[str, Mapping[str, object]] = {}
    for preset in presets:
        values[preset["key"]] = {**values.get(preset.pop("like", ""), {}), **preset["values"]}
        yield {**preset, "values": values[preset["key"]]}


def _where_swept(chart: _Table, swept: _Table) -> Iterator[_Table]:
    """Bars of a quantity, and the lines over ``swept`` that stand in their place where that factor has levels."""
    if "quantity" not in chart:
        yield chart
        return
    marks = {"marks": chart.pop("marks")} if "marks" in chart else {}
    yield {**chart, "unless_swept": swept["factor"]}
    over = {name: value for name, value in swept.items() if name != "suffix"}
    yield {**chart, **over, **marks, "key": f"{chart['key']}-{swept['suffix']}"}
